import { done, fifoHandler } from 'lanekeeper';
import { onAws } from 'lanekeeper/aws';
import * as v from 'valibot';

const Event = v.object({
  id: v.string(),
  type: v.string(),
  subject: v.string(),
  sequence: v.number(),
});

/** Keeps every event of every job, once. */
export const handler = fifoHandler(
  {
    schema: Event,
    async handle({ body: { id, type, subject, sequence } }) {
      return done({
        writes: [
          {
            table: 'events',
            key: { pk: subject, sk: id },
            when: [{ kind: 'absent', why: 'event' }],
            kind: 'put',
            fields: { type, sequence },
          },
        ],
      });
    },
  },
  onAws(),
);
