import { compose, serviceOf } from './docker.ts';

process.exitCode = compose(serviceOf(process.argv.slice(2)), 'up');
