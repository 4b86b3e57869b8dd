import type { EventBridgeClientConfig, PutEventsResultEntry } from '@aws-sdk/client-eventbridge';
import { bytesOf } from '../kernel/bytes-of.ts';
import { parsedJson } from '../kernel/parsed-json.ts';
import { sizes } from '../kernel/settings.ts';
import type { Entry, Verdict } from '../ports/sender.ts';
import { bound } from './bound.ts';
import { leftOut, type Wire } from './in-requests.ts';
import { loaded } from './loaded.ts';

/**
 * To EventBridge buses, by ARN: **no order and no deduplication**, and attributes stay behind. The event is the
 * entry's body, under its own `type` and `source`.
 *
 * AWS takes events for a bus that isn't there, and drops them (recorded against AWS on 2024-06-19, in the suite of LocalStack), so a
 * deleted bus is no outage: only a check of resources finds it.
 *
 * @throws Failure `package-missing` without `@aws-sdk/client-eventbridge`
 */
export async function eventBridgeWire(
  config: EventBridgeClientConfig,
): Promise<(EventBusName: string) => Wire> {
  const { EventBridgeClient, PutEventsCommand } = await loaded(
    '@aws-sdk/client-eventbridge',
    () => import('@aws-sdk/client-eventbridge'),
  );
  const client = new EventBridgeClient(config);
  return (EventBusName) => ({
    most: sizes.busEvent,
    sizeOf,
    unfit: (entry) =>
      eventOf(entry).DetailType === '' ? 'a bus takes a JSON object with a "type"' : undefined,
    async request(entries, epoch) {
      const Entries = entries.map((entry) => ({ EventBusName, ...eventOf(entry) }));
      const { Entries: results = [] } = await client.send(
        bound(new PutEventsCommand({ Entries }), epoch),
      );
      return entries.map((_, i) => verdictOf(results[i]));
    },
  });
}

/** The sum of an entry's parts (EventBridge user guide, "Calculating PutEvents event entry size"). */
const sizeOf = (entry: Entry): number => {
  const { Detail, DetailType, Source } = eventOf(entry);
  return bytesOf(Detail + DetailType + Source);
};

function eventOf({ body }: Entry) {
  const { type, source, traceparent } = fieldsOf(body);
  return {
    Detail: body,
    DetailType: text(type),
    Source: text(source) || 'lanekeeper',
    TraceHeader: xrayOf(text(traceparent)),
  };
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The fields of a JSON object; other text has none. */
function fieldsOf(body: string): Readonly<Record<string, unknown>> {
  const value = parsedJson(body);
  return Array.isArray(value) ? {} : Object(value);
}

/** A W3C `traceparent` in X-Ray's words: the trace id's first 8 digits stand apart (X-Ray developer guide, "Sending trace data"). */
function xrayOf(traceparent: string): string | undefined {
  const pattern = /^[\da-f]{2}-([\da-f]{8})([\da-f]{24})-([\da-f]{16})-([\da-f]{2})$/;
  const [, time, rest, parent, flags = ''] = pattern.exec(traceparent) ?? [];
  if (time === undefined) return undefined;
  return `Root=1-${time}-${rest};Parent=${parent};Sampled=${Number.parseInt(flags, 16) & 1}`;
}

/**
 * What blames the event itself, or its own source or type: API reference of PutEventsResultEntry calls these not
 * retryable. `AccessDeniedException` and `InvalidAccountIdException`, not retryable either, blame every event alike and
 * are mended in a policy, so they are outages, as is every code that isn't known.
 */
const refusal = /^(InvalidArgument|MalformedDetail|NotAuthorizedFor|RedactionFailure)/;

function verdictOf(result: PutEventsResultEntry | undefined): Verdict {
  const { EventId = '', ErrorCode = '', ErrorMessage = '' } = result ?? {};
  if (ErrorCode !== '')
    return {
      kind: refusal.test(ErrorCode) ? 'refused' : 'outage',
      why: `${ErrorCode}: ${ErrorMessage}`,
    };
  return EventId === '' ? leftOut : { kind: 'sent' };
}
