import type { Emulator } from '../../scripts/emulators/emulator.ts';
import { ministack } from '../../scripts/emulators/ministack.ts';

let emulator: Emulator | undefined;

/**
 * Starts the emulator that test/aws speaks to, on a free port of the loopback, unless `AWS_ENDPOINT_URL` names another
 * endpoint. Without Python or PyPI those suites are skipped, and this says so.
 */
export async function setup(): Promise<void> {
  process.env['AWS_ACCESS_KEY_ID'] ??= 'test';
  process.env['AWS_SECRET_ACCESS_KEY'] ??= 'test';
  process.env['AWS_REGION'] ??= 'us-east-1';
  if (process.env['AWS_ENDPOINT_URL'] !== undefined) return;
  try {
    emulator = await ministack();
    process.env['AWS_ENDPOINT_URL'] = emulator.endpoint;
    process.env['LANEKEEPER_EMULATOR'] = 'ministack';
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    console.error(`\n!! The suites in test/aws are SKIPPED, since no emulator runs: ${why}\n`);
  }
}

/** Stops what was started. */
export const teardown = async (): Promise<void> => emulator?.stop();
