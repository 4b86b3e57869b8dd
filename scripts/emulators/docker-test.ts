import { compose, endpoint, serviceOf } from './docker.ts';
import { suites } from './suites.ts';

const emulator = serviceOf(process.argv.slice(2));
process.exitCode = compose(emulator, 'up', '--detach', '--wait');
if (process.exitCode === 0) {
  try {
    // The sample needs mappings that hand failures back record by record, which MiniStack's don't.
    const folders = emulator === 'localstack' ? ['test/aws', 'test/localstack'] : ['test/aws'];
    process.exitCode = await suites({ endpoint, emulator, folders });
  } finally {
    compose(emulator, 'down');
  }
}
