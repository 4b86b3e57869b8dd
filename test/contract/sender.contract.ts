import { describe, expect, it } from 'vitest';
import type { GroupId } from '../../lib/kernel/brand.ts';
import type { Entry, Sender } from '../../lib/ports/sender.ts';

/** A message as it came out at the other end. */
interface Arrived {
  readonly body: string;
  readonly group: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** A sender with one empty target; `arrived` takes out all that has come there and not been taken before, in order per group. */
export interface OpenSender {
  readonly sender: Sender;
  readonly target: string;
  arrived(): Promise<readonly Arrived[]>;
}

/** What every {@link Sender} promises. `open` makes a fresh target each time. */
export function senderContract(name: string, open: () => Promise<OpenSender>): void {
  describe(`the sender contract, kept by ${name}`, () => {
    it('gives each entry its verdict, and each message its body, group and attributes', async () => {
      const { sender, target, arrived } = await open();

      const verdicts = await sender.send(target, [
        { ...entry('A1'), attributes: { trace: 'abc' } },
        entry('B1'),
      ]);

      expect(verdicts).toEqual([{ kind: 'sent' }, { kind: 'sent' }]);
      expect(byBody(await arrived())).toEqual([
        { body: 'A1', group: 'A', attributes: { trace: 'abc' } },
        { body: 'B1', group: 'B', attributes: {} },
      ]);
    });

    it('takes ten entries at once', async () => {
      const { sender, target, arrived } = await open();
      const names = [...'ABCDEFGHIJ'].map((group) => `${group}1`);

      const verdicts = await sender.send(target, names.map(entry));

      expect(verdicts).toEqual(names.map(() => ({ kind: 'sent' })));
      expect(byBody(await arrived()).map(({ body }) => body)).toEqual(names);
    });

    it('keeps the order of a group from one request to the next', async () => {
      const { sender, target, arrived } = await open();

      for (const name of ['A1', 'A2', 'A3']) await sender.send(target, [entry(name)]);

      expect((await arrived()).map(({ body }) => body)).toEqual(['A1', 'A2', 'A3']);
    });

    it('says sent to a repeat and delivers it once, also when the first was taken out before', async () => {
      const { sender, target, arrived } = await open();
      await sender.send(target, [entry('A1')]);
      const first = await arrived();

      const verdicts = await sender.send(target, [entry('A1')]);

      expect(verdicts).toEqual([{ kind: 'sent' }]);
      expect(first).toHaveLength(1);
      expect(await arrived()).toEqual([]);
    });

    it('delivers the same body again under another id (case fifo 31)', async () => {
      const { sender, target, arrived } = await open();

      await sender.send(target, [entry('A1')]);
      await sender.send(target, [{ ...entry('A1'), id: 'fresh' }]);

      expect((await arrived()).map(({ body }) => body)).toEqual(['A1', 'A1']);
    });

    it('calls a target that it does not know an outage, by its name, for every entry', async () => {
      const { sender } = await open();

      const verdicts = await sender.send('nowhere', [entry('A1'), entry('B1')]);

      expect(verdicts).toEqual([
        { kind: 'outage', why: expect.stringContaining('"nowhere"') },
        { kind: 'outage', why: expect.stringContaining('"nowhere"') },
      ]);
    });

    it('sends nothing once its epoch is over, and calls that an outage', async () => {
      const { sender, target, arrived } = await open();

      const verdicts = await sender.send(target, [entry('A1'), entry('B1')], {
        isOpen: () => false,
      });

      expect(verdicts.map(({ kind }) => kind)).toEqual(['outage', 'outage']);
      expect(await arrived()).toEqual([]);
      expect(await sender.send(target, [entry('A1')], { isOpen: () => true })).toEqual([
        { kind: 'sent' },
      ]);
    });

    it.each([
      ['no entry', []],
      ['eleven entries', [...'ABCDEFGHIJK']],
      ['two entries of one group', ['A1', 'B1', 'A2']],
    ])('throws for a request of %s, and sends nothing of it', async (_, names) => {
      const { sender, target, arrived } = await open();

      await expect(sender.send(target, names.map(entry))).rejects.toMatchObject({
        code: 'request-invalid',
      });

      expect(await arrived()).toEqual([]);
    });
  });
}

/** An entry whose group is the first letter of its name. */
const entry = (name: string): Entry => ({
  id: `id-${name}`,
  group: name.charAt(0) as GroupId,
  body: name,
});

/** Order between groups is nobody's promise. */
const byBody = (all: readonly Arrived[]): readonly Arrived[] =>
  all.toSorted((a, b) => a.body.localeCompare(b.body));
