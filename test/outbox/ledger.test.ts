import { describe, expect, it } from 'vitest';
import type { GroupId, Instant } from '../../lib/kernel/brand.ts';
import { permanent } from '../../lib/kernel/failure.ts';
import { aside, heartbeat, proofs } from '../../lib/outbox/ledger.ts';
import type { Outgoing } from '../../lib/outbox/rounds.ts';

const now = 1_790_000_030_000 as Instant;
const event = (eventId: string, target = 'events'): Outgoing => ({
  target,
  eventId,
  position: '1',
  entry: { id: 'd', group: 'A' as GroupId, body: '{}' },
});

describe('the ledger', () => {
  it('proves what a run published, by target, for 8 days in epoch seconds (case outbox 46)', () => {
    const [proof] = proofs({ requestId: 'R', now }, [event('e1'), event('e2', 'commands-x')]);

    expect(proof).toMatchObject({
      table: 'ledger',
      key: { pk: `relay#${Math.floor(1_790_000_030_000 / 60_000)}`, sk: 'R#0' },
      fields: {
        published: { events: ['e1'], 'commands-x': ['e2'] },
        ttl: 1_790_000_030 + 8 * 24 * 3_600,
      },
    });
  });

  it('cuts its items below 300 KB (trace H21)', () => {
    const all = Array.from({ length: 5_000 }, (_, i) => event(`${'x'.repeat(90)}${i}`));

    const items = proofs({ requestId: 'R', now }, all);

    expect(items.length).toBeGreaterThan(1);
    expect(items.map(({ key }) => key.sk)).toEqual(items.map((_, n) => `R#${n}`));
    for (const item of items) expect(JSON.stringify(item).length).toBeLessThan(320 * 1024);
    const ids = items.flatMap((item) =>
      item.kind === 'put' ? Object.values(item.fields['published'] as object).flat() : [],
    );
    expect(ids).toEqual(all.map(({ eventId }) => eventId));
  });

  it('is not written for nothing', () => {
    expect(proofs({ requestId: 'R', now }, [])).toEqual([]);
  });

  it('keeps what was set aside with its body and its reason (trace H12)', () => {
    const write = aside(event('e1'), permanent('publish-refused', 'too large'), now);

    expect(write).toMatchObject({
      key: { pk: expect.stringMatching(/^aside#[0-7]$/), sk: 'e1#events' },
      fields: { body: '{}', group: 'A', code: 'publish-refused', why: 'too large' },
    });
  });

  it('says when the relay last ran and how old its oldest record was', () => {
    expect(heartbeat(now, (now - 5_000) as Instant)).toMatchObject({
      fields: { at: now, oldestAge: 5_000 },
    });
  });
});
