import { App } from 'aws-cdk-lib';
import { exportStack } from './export-stack.ts';
import { stageOf } from './stage.ts';

const app = new App();
exportStack(app, stageOf(app.node.tryGetContext('stage')));
app.synth();
