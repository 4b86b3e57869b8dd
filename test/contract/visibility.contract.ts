import { describe, expect, it as unless } from 'vitest';
import { hours, minutes, nothing, seconds } from '../../lib/kernel/time.ts';
import type { Visibility } from '../../lib/ports/visibility.ts';

/** A message that was received. */
interface Taken {
  readonly body: string;
  readonly handle: string;
}

/** A visibility with one empty FIFO queue, which hides what it gives for several minutes. */
export interface OpenVisibility {
  readonly visibility: Visibility;
  /** The queue's ARN. */
  readonly queue: string;
  /** Sends messages; the first letter of a name is its group. */
  send(names: readonly string[]): Promise<void>;
  /** One receive of up to ten messages. */
  receive(): Promise<readonly Taken[]>;
  delete(handle: string): Promise<void>;
}

/**
 * What every {@link Visibility} promises. `open` makes a fresh queue each time; `deviations` names the cases that an
 * emulator is known to get wrong, which fail here as soon as it gets them right.
 */
export function visibilityContract(
  name: string,
  open: () => Promise<OpenVisibility>,
  deviations: readonly string[] = [],
): void {
  const it = (title: string, body: () => Promise<void>) =>
    deviations.includes(title) ? unless.fails(title, body) : unless(title, body);
  describe(`the visibility contract, kept by ${name}`, () => {
    it('brings a message back at once when it is hidden for no time', async () => {
      const { visibility, queue, ...at } = await open();
      await at.send(['A1']);
      const [first] = await at.receive();

      const answers = await visibility.hide(queue, [hiding(first, nothing)]);

      expect(answers).toEqual(['hidden']);
      expect(bodies(await at.receive())).toEqual(['A1']);
    });

    it('brings a head back alone, and never what is behind it (fact fifo 2.4.3)', async () => {
      const { visibility, queue, ...at } = await open();
      await at.send(['A1', 'A2']);
      const [head] = await at.receive();

      await visibility.hide(queue, [hiding(head, nothing)]);

      expect(bodies(await at.receive())).toEqual(['A1']);
      expect(bodies(await at.receive())).toEqual([]);
    });

    it('keeps a group behind its hidden head, whatever was asked for the rest (fact fifo 2.4.4)', async () => {
      const { visibility, queue, ...at } = await open();
      await at.send(['A1', 'A2', 'A3']);
      const [head, ...rest] = await at.receive();

      const answers = await visibility.hide(queue, [
        hiding(head, minutes(10)),
        ...rest.map((one) => hiding(one, nothing)),
      ]);

      expect(answers).toEqual(['hidden', 'hidden', 'hidden']);
      expect(bodies(await at.receive())).toEqual([]);
    });

    it('tells a lost handle beside one that is not, in order', async () => {
      const { visibility, queue, ...at } = await open();
      await at.send(['A1', 'B1']);
      const taken = await at.receive();
      const kept = taken.find(({ body }) => body === 'A1');
      const gone = taken.find(({ body }) => body === 'B1');
      await at.delete(gone?.handle ?? '');

      const answers = await visibility.hide(queue, [
        hiding(gone, nothing),
        hiding(kept, nothing),
        { handle: 'made-up', length: nothing },
      ]);

      expect(answers).toEqual(['lost', 'hidden', 'lost']);
      expect(bodies(await at.receive())).toEqual(['A1']);
    });

    it('knows only the handle of the last receive (fact fifo 2.4.6)', async () => {
      const { visibility, queue, ...at } = await open();
      await at.send(['A1']);
      const [before] = await at.receive();
      await visibility.hide(queue, [hiding(before, nothing)]);
      await at.receive();

      const answers = await visibility.hide(queue, [hiding(before, nothing)]);

      expect(answers).toEqual(['lost']);
      expect(bodies(await at.receive())).toEqual([]);
    });

    it('refuses more than 12 hours, and leaves the message hidden as it was', async () => {
      const { visibility, queue, ...at } = await open();
      await at.send(['A1']);
      const [first] = await at.receive();

      const tooLong = await visibility.hide(queue, [hiding(first, hours(13))]);
      const blocked = await at.receive();
      const again = await visibility.hide(queue, [hiding(first, seconds(0))]);

      expect(tooLong).toEqual(['lost']);
      expect(blocked).toEqual([]);
      expect(again).toEqual(['hidden']);
    });

    it('hides nothing of a queue that it does not know, and does not throw', async () => {
      const { visibility, queue, ...at } = await open();
      await at.send(['A1']);
      const [first] = await at.receive();

      const answers = await visibility.hide(`${queue.replace(/\.fifo$/, '')}-other.fifo`, [
        hiding(first, nothing),
      ]);

      expect(answers).toHaveLength(1);
      expect(answers).not.toContain('hidden');
      expect(await at.receive()).toEqual([]);
    });
  });
}

const hiding = (taken: Taken | undefined, length: typeof nothing) => ({
  handle: taken?.handle ?? 'nothing was received',
  length,
});

const bodies = (taken: readonly Taken[]): readonly string[] => taken.map(({ body }) => body);
