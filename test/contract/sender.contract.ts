import { describe, expect, it as unless } from 'vitest';
import type { GroupId } from '../../lib/kernel/brand.ts';
import type { Entry, Sender } from '../../lib/ports/sender.ts';

/** A message as it came out at the other end. */
interface Arrived {
  readonly body: string;
  readonly group: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/**
 * A sender with one empty target; `arrived` takes out all that has come there and not been taken before, in order per group,
 * and waits until that is so many, since a service that hands on takes its time.
 */
export interface OpenSender {
  readonly sender: Sender;
  readonly target: string;
  /** The most bytes of an entry. */
  readonly most: number;
  arrived(count: number): Promise<readonly Arrived[]>;
}

/**
 * What every {@link Sender} to ordered targets promises. `open` makes a fresh target each time; `deviations` names the
 * cases that an emulator is known to get wrong, which fail here as soon as it gets them right.
 */
export function senderContract(
  name: string,
  open: () => Promise<OpenSender>,
  deviations: readonly string[] = [],
): void {
  const it = (title: string, body: () => Promise<void>) =>
    deviations.includes(title) ? unless.fails(title, body) : unless(title, body);
  describe(`the sender contract, kept by ${name}`, () => {
    it('gives each entry its verdict, and each message its body, group and attributes', async () => {
      const { sender, target, arrived } = await open();

      const verdicts = await sender.send(target, [
        { ...entry('A1'), attributes: { trace: 'abc' } },
        entry('B1'),
      ]);

      expect(verdicts).toEqual([{ kind: 'sent' }, { kind: 'sent' }]);
      expect(byBody(await arrived(2))).toEqual([
        { body: 'A1', group: 'A', attributes: { trace: 'abc' } },
        { body: 'B1', group: 'B', attributes: {} },
      ]);
    });

    it('takes ten entries at once', async () => {
      const { sender, target, arrived } = await open();
      const names = [...'ABCDEFGHIJ'].map((group) => `${group}1`);

      const verdicts = await sender.send(target, names.map(entry));

      expect(verdicts).toEqual(names.map(() => ({ kind: 'sent' })));
      expect(byBody(await arrived(names.length)).map(({ body }) => body)).toEqual(names);
    });

    it('keeps the order of a group from one request to the next', async () => {
      const { sender, target, arrived } = await open();

      for (const name of ['A1', 'A2', 'A3']) await sender.send(target, [entry(name)]);

      expect((await arrived(3)).map(({ body }) => body)).toEqual(['A1', 'A2', 'A3']);
    });

    it('says sent to a repeat and delivers it once, also when the first was taken out before', async () => {
      const { sender, target, arrived } = await open();
      await sender.send(target, [entry('A1')]);
      const first = await arrived(1);

      const verdicts = await sender.send(target, [entry('A1')]);

      expect(verdicts).toEqual([{ kind: 'sent' }]);
      expect(first).toHaveLength(1);
      expect(await arrived(0)).toEqual([]);
    });

    it('delivers the same body again under another id (case fifo 31)', async () => {
      const { sender, target, arrived } = await open();

      await sender.send(target, [entry('A1')]);
      await sender.send(target, [{ ...entry('A1'), id: 'fresh' }]);

      expect((await arrived(2)).map(({ body }) => body)).toEqual(['A1', 'A1']);
    });

    it('refuses an entry that is too large alone, by its size, and takes those around it', async () => {
      const { sender, target, most, arrived } = await open();

      const verdicts = await sender.send(target, [entry('A1'), large('B1', most + 1), entry('C1')]);

      expect(verdicts).toEqual([
        { kind: 'sent' },
        { kind: 'refused', why: expect.stringMatching(`${most} .*${most + 1}`) },
        { kind: 'sent' },
      ]);
      expect(byBody(await arrived(2)).map(({ body }) => body)).toEqual(['A1', 'C1']);
    });

    it('counts the name, type and value of an attribute to the size of its entry', async () => {
      const { sender, target, most, arrived } = await open();
      const attributes = { trace: 'abc' };
      const own = 'trace'.length + 'String'.length + 'abc'.length;

      const verdicts = await sender.send(target, [
        { ...large('A1', most - own), attributes },
        { ...large('B1', most - own + 1), attributes },
      ]);

      expect(verdicts.map(({ kind }) => kind)).toEqual(['sent', 'refused']);
      expect((await arrived(1)).map(({ group }) => group)).toEqual(['A']);
    });

    it('takes entries that are more than one request together, each as large as can be', async () => {
      const { sender, target, most, arrived } = await open();
      const entries = [large('A1', most), entry('B1'), large('C1', most), entry('D1')];

      const verdicts = await sender.send(target, entries);

      expect(verdicts).toEqual(entries.map(() => ({ kind: 'sent' })));
      expect(byBody(await arrived(4)).map(({ body }) => body.length)).toEqual([most, 2, most, 2]);
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
      expect(await arrived(0)).toEqual([]);
      expect(await sender.send(target, [entry('A1')], { isOpen: () => true })).toEqual([
        { kind: 'sent' },
      ]);
    });

    unless.each([
      ['no entry', []],
      ['eleven entries', [...'ABCDEFGHIJK']],
      ['two entries of one group', ['A1', 'B1', 'A2']],
    ])('throws for a request of %s, and sends nothing of it', async (_, names) => {
      const { sender, target, arrived } = await open();

      await expect(sender.send(target, names.map(entry))).rejects.toMatchObject({
        code: 'request-invalid',
      });

      expect(await arrived(0)).toEqual([]);
    });
  });
}

/** An entry whose group is the first letter of its name. */
const entry = (name: string): Entry => ({
  id: `id-${name}`,
  group: name.charAt(0) as GroupId,
  body: name,
});

/** An entry whose body has so many bytes. */
const large = (name: string, bytes: number): Entry => ({
  ...entry(name),
  body: name.padEnd(bytes, 'x'),
});

/** Order between groups is nobody's promise. */
const byBody = (all: readonly Arrived[]): readonly Arrived[] =>
  all.toSorted((a, b) => a.body.localeCompare(b.body));
