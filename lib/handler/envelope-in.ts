import { type Envelope, envelopeFrom } from '../kernel/envelope.ts';
import { json, unwrapped } from './reading.ts';

/**
 * The envelope in a message's body: bare, or wrapped by SNS, by EventBridge, or by both; the body itself tells.
 *
 * @throws Failure `body-not-json` or `envelope-unreadable`, both permanent
 */
export const envelopeIn = (text: string): Envelope => innermost(json(text));

function innermost(value: unknown): Envelope {
  if (typeof value !== 'object' || value === null || 'specversion' in value)
    return envelopeFrom(value);
  if ('Type' in value && 'Message' in value && typeof value.Message === 'string')
    return innermost(unwrapped(value, 'sns'));
  if ('detail-type' in value && 'detail' in value)
    return innermost(unwrapped(value, 'event-bridge'));
  return envelopeFrom(value);
}
