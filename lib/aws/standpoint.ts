import type { NodeHttpHandler } from '@smithy/node-http-handler';
import type { ExaminedSettings, Variables } from './aws-settings.ts';

/** From where a look is made: what is named, and what requests are sent with. */
export interface Standpoint {
  readonly settings: ExaminedSettings;
  readonly variables: Variables;
  readonly requestHandler: NodeHttpHandler;
}
