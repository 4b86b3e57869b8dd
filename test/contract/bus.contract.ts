import { describe, expect, it as unless } from 'vitest';
import type { GroupId } from '../../lib/kernel/brand.ts';
import type { Entry, Sender } from '../../lib/ports/sender.ts';

/** An event as a rule hands it on. */
interface Arrived {
  readonly detail: unknown;
  readonly detailType: string;
  readonly source: string;
}

/** A sender with one event bus; `arrived` takes out all that has come through it and not been taken before, and waits until that is so many. */
export interface OpenBus {
  readonly sender: Sender;
  readonly target: string;
  /** The most bytes of an event: of its body, type and source together. */
  readonly most: number;
  arrived(count: number): Promise<readonly Arrived[]>;
}

/**
 * What a sender promises of an event bus, which has neither order nor deduplication. `open` makes a fresh bus each time;
 * `deviations` names the cases that an emulator is known to get wrong, which fail here as soon as it gets them right.
 */
export function busContract(
  name: string,
  open: () => Promise<OpenBus>,
  deviations: readonly string[] = [],
): void {
  const it = (title: string, body: () => Promise<void>) =>
    deviations.includes(title) ? unless.fails(title, body) : unless(title, body);
  describe(`the bus contract, kept by ${name}`, () => {
    it('delivers each event as it is, under its own type and source', async () => {
      const { sender, target, arrived } = await open();

      const verdicts = await sender.send(target, [event('A'), event('B')]);

      expect(verdicts).toEqual([{ kind: 'sent' }, { kind: 'sent' }]);
      expect(byDetail(await arrived(2))).toEqual([
        { detail: fieldsOf('A'), detailType: 'export.succeeded', source: '/lanekeeper/export' },
        { detail: fieldsOf('B'), detailType: 'export.succeeded', source: '/lanekeeper/export' },
      ]);
    });

    it('delivers an event without a source as lanekeeper’s own', async () => {
      const { sender, target, arrived } = await open();

      const verdicts = await sender.send(target, [
        { ...event('A'), body: '{"type":"export.failed"}' },
      ]);

      expect(verdicts).toEqual([{ kind: 'sent' }]);
      expect(await arrived(1)).toEqual([
        { detail: { type: 'export.failed' }, detailType: 'export.failed', source: 'lanekeeper' },
      ]);
    });

    it('takes ten events at once', async () => {
      const { sender, target, arrived } = await open();
      const groups = [...'ABCDEFGHIJ'];

      const verdicts = await sender.send(target, groups.map(event));

      expect(verdicts).toEqual(groups.map(() => ({ kind: 'sent' })));
      expect(byDetail(await arrived(groups.length)).map(({ detail }) => detail)).toEqual(
        groups.map(fieldsOf),
      );
    });

    unless.each([
      ['not JSON', 'one two'],
      ['no object', '["export.succeeded"]'],
      ['without a type', '{"source":"/lanekeeper/export"}'],
    ])('refuses a body that is %s alone, and takes the events around it', async (_, body) => {
      const { sender, target, arrived } = await open();

      const verdicts = await sender.send(target, [event('A'), { ...event('B'), body }, event('C')]);

      expect(verdicts).toEqual([
        { kind: 'sent' },
        { kind: 'refused', why: expect.stringContaining('"type"') },
        { kind: 'sent' },
      ]);
      expect(byDetail(await arrived(2)).map(({ detail }) => detail)).toEqual(
        ['A', 'C'].map(fieldsOf),
      );
    });

    it('refuses an event that is too large alone, by its size, and takes those around it', async () => {
      const { sender, target, most, arrived } = await open();

      const verdicts = await sender.send(target, [event('A'), large('B', most + 1), event('C')]);

      expect(verdicts).toEqual([
        { kind: 'sent' },
        { kind: 'refused', why: expect.stringMatching(`${most} .*${most + 1}`) },
        { kind: 'sent' },
      ]);
      expect(byDetail(await arrived(2)).map(({ detail }) => detail)).toEqual(
        ['A', 'C'].map(fieldsOf),
      );
    });

    it('takes events that are more than one request together', async () => {
      const { sender, target, most, arrived } = await open();
      const events = ['A', 'B', 'C'].map((group) => large(group, Math.floor(most * 0.6)));

      const verdicts = await sender.send(target, events);

      expect(verdicts).toEqual(events.map(() => ({ kind: 'sent' })));
      expect(await arrived(3)).toHaveLength(3);
    });

    it('calls a target that it does not know an outage, by its name, for every event', async () => {
      const { sender } = await open();

      const verdicts = await sender.send('nowhere', [event('A'), event('B')]);

      expect(verdicts).toEqual([
        { kind: 'outage', why: expect.stringContaining('"nowhere"') },
        { kind: 'outage', why: expect.stringContaining('"nowhere"') },
      ]);
    });

    unless.each([
      ['no event', []],
      ['eleven events', [...'ABCDEFGHIJK']],
      ['two events of one group', ['A', 'B', 'A']],
    ])('throws for a request of %s, and sends nothing of it', async (_, groups) => {
      const { sender, target, arrived } = await open();

      await expect(sender.send(target, groups.map(event))).rejects.toMatchObject({
        code: 'request-invalid',
      });

      expect(await arrived(0)).toEqual([]);
    });
  });
}

const fieldsOf = (subject: string) => ({
  specversion: '1.0',
  type: 'export.succeeded',
  source: '/lanekeeper/export',
  subject,
  data: { rows: 3, name: 'Käthe' },
});

const event = (group: string): Entry => ({
  id: `id-${group}`,
  group: group as GroupId,
  body: JSON.stringify(fieldsOf(group)),
});

/** An event whose body, type and source have so many bytes together. */
function large(group: string, bytes: number): Entry {
  const named = Buffer.byteLength('export.succeeded/lanekeeper/export');
  const bodyOf = (data: string) => JSON.stringify({ ...fieldsOf(group), data });
  const padding = bytes - named - Buffer.byteLength(bodyOf(''));
  return { ...event(group), body: bodyOf('x'.repeat(padding)) };
}

/** Order is nobody's promise. */
const byDetail = (all: readonly Arrived[]): readonly Arrived[] =>
  all.toSorted((a, b) => JSON.stringify(a.detail).localeCompare(JSON.stringify(b.detail)));
