import { App, Duration } from 'aws-cdk-lib';
import { exportStack } from '../../infra/export-stack.ts';

/** The sample on stage `local`, with workers that are given up soon. */
const app = new App();
exportStack(app, 'local', { timeout: Duration.seconds(10) });
app.synth();
