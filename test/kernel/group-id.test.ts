import { describe, expect, it } from 'vitest';
import { groupId } from '../../lib/kernel/group-id.ts';

describe('a group id', () => {
  it.each(['A', 'order-1', 'a!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~', 'x'.repeat(128)])(
    'takes what SQS takes: %s',
    (text) => {
      expect(groupId(text)).toBe(text);
    },
  );

  it.each(['', 'a b', 'ä', 'a\n', 'x'.repeat(129)])('refuses what SQS would refuse: %j', (text) => {
    expect(() => groupId(text)).toThrow(expect.objectContaining({ code: 'group-id-invalid' }));
  });

  it.each([undefined, null, 42, {}, ['A']])('refuses what is no text: %j', (value) => {
    expect(() => groupId(value as never)).toThrow(
      expect.objectContaining({ code: 'group-id-invalid' }),
    );
  });
});
