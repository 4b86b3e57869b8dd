import { describe, expect, it } from 'vitest';
import { enveloped, envelopeOf } from '../../lib/kernel/envelope.ts';
import { at } from '../job/rows.ts';

const subject = {
  id: 'export-1',
  kind: 'export',
  incarnation: 'I',
  groupId: 'A',
  intentId: 'a',
  result: { key: 'results/1', size: 3, checksum: 'c', contentType: 'text/csv' },
};
const event = {
  n: 2,
  channel: 'events' as const,
  sequence: 1,
  id: 'export-1:I:2',
  type: 'export.succeeded',
  version: 3,
  generation: 1,
  at: at(0),
  data: { rows: 3 },
};

describe('an envelope', () => {
  it('is CloudEvents 1.0, with lower-case plain extensions', () => {
    const envelope = enveloped(subject, event);

    expect(envelope).toMatchObject({
      specversion: '1.0',
      id: 'export-1:I:2',
      type: 'export.succeeded',
      subject: 'export-1',
      source: '/lanekeeper/export',
      time: '2026-09-21T14:13:20.000Z',
      data: { rows: 3 },
      resultkey: 'results/1',
    });
    for (const [name, value] of Object.entries(envelope)) {
      expect(name).toMatch(/^[a-z0-9]{1,20}$/);
      if (name !== 'data') expect(['string', 'number', 'boolean']).toContain(typeof value);
    }
  });

  it('speaks of the result only in a success', () => {
    expect(enveloped(subject, { ...event, type: 'export.failed' })).not.toHaveProperty('resultkey');
  });

  it('is read back as it was written', () => {
    const envelope = enveloped(subject, event);

    expect(envelopeOf(JSON.stringify(envelope))).toEqual(envelope);
  });

  it.each([
    ['text that is not JSON', 'hello'],
    ['a list', '[]'],
    ['null', 'null'],
    ['no specversion', JSON.stringify({ ...enveloped(subject, event), specversion: undefined })],
    ['an empty subject', JSON.stringify({ ...enveloped(subject, event), subject: '' })],
    ['a fraction as version', JSON.stringify({ ...enveloped(subject, event), version: 1.5 })],
    ['no time', JSON.stringify({ ...enveloped(subject, event), time: 'soon' })],
  ])('is refused for %s', (_, text) => {
    expect(() => envelopeOf(text)).toThrow(
      expect.objectContaining({ code: 'envelope-unreadable', remedy: 'dead-letter' }),
    );
  });
});
