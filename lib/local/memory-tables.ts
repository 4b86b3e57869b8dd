import { attention, tables, timeIndex } from '../kernel/settings.ts';
import type { ChangeStream } from './change-stream.ts';
import { MemoryStore } from './memory-store.ts';

/** A store with the library's tables as infra makes them, and others by name. */
export function memoryTables(stream: ChangeStream, own: readonly string[]): MemoryStore {
  return new MemoryStore({
    [tables.jobs]: {
      stream,
      indexes: {
        [attention.index]: attention.key,
        [timeIndex.index]: { ...timeIndex.key, keysOnly: true },
      },
    },
    [tables.ledger]: { ttl: 'ttl' },
    [tables.care]: { ttl: 'ttl' },
    ...Object.fromEntries(own.map((name) => [name, { ttl: 'ttl' }])),
  });
}
