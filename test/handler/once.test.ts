import { describe, expect, it } from 'vitest';
import { onAws, transactItem } from '../../lib/aws/index.ts';
import { days, once } from '../../lib/index.ts';
import { handClock } from './fifo-events.ts';

const clock = handClock(1_500);

describe('the guarded put of once', () => {
  it('is one per consumer and event, kept for 36 days unless told', () => {
    const write = once('mail', { id: 'e:1' }, { table: 'own', clock });

    expect(write).toEqual({
      table: 'own',
      key: { pk: 'inbox#mail#e:1', sk: 'inbox' },
      when: [{ kind: 'absent', why: 'inbox' }],
      kind: 'put',
      fields: { at: 1_500, ttl: 36 * 86_400 + 2 },
    });
    expect(once('mail', { id: 'e:1' }, { table: 'own', clock, keep: days(1) })).toMatchObject({
      fields: { ttl: 86_402 },
    });
  });

  it('carries the name of a replay for those that it is for', () => {
    const event = { id: 'e:1', replayAs: { name: 'fix', for: ['mail'] } };

    expect(once('mail', event, { table: 'own' }).key.pk).toBe('inbox#mail#e:1#fix');
    expect(once('shop', event, { table: 'own' }).key.pk).toBe('inbox#shop#e:1');
  });

  it('goes into a transaction of one’s own SDK code', () => {
    const world = onAws({ tables: { own: 'real-name' } });

    expect(transactItem(once('mail', { id: 'e:1' }, { table: 'own' }), world)).toMatchObject({
      Put: { TableName: 'real-name', Item: { pk: { S: 'inbox#mail#e:1' } } },
    });
  });

  it('refuses a name that could end in another’s', () => {
    expect(() => once('a#b', { id: 'e:1' }, { table: 'own' })).toThrow(
      expect.objectContaining({ code: 'setting-invalid' }),
    );
  });
});
