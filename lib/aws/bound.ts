import { checkOpen, type Epoch } from '../kernel/epoch.ts';

/** A command of the SDK, by the stack of what happens to it on its way out. */
interface Sendable {
  readonly middlewareStack: {
    add(
      middleware: <Args, Reply>(
        next: (args: Args) => Promise<Reply>,
      ) => (args: Args) => Promise<Reply>,
      where: { readonly step: 'finalizeRequest'; readonly priority: 'low'; readonly name: string },
    ): void;
  };
}

/**
 * Binds a command to an epoch, which is asked before each try of it: low in this step is inside the SDK's retries and
 * behind the signing, which may wait for credentials.
 *
 * Sending it throws Failure `epoch-over` from then on, which the SDK does not retry.
 */
export function bound<Command extends Sendable>(
  command: Command,
  epoch: Epoch | undefined,
): Command {
  if (epoch === undefined) return command;
  command.middlewareStack.add(
    (next) => async (args) => {
      checkOpen(epoch);
      return next(args);
    },
    { step: 'finalizeRequest', priority: 'low', name: 'lanekeeperEpoch' },
  );
  return command;
}
