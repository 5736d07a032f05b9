import type { FastifyRequest } from 'fastify';
import type { BodyMeter } from '../../kernel/ports/usage.ts';
import { countedBody, receivedBody } from '../shared/received-body.ts';
import { decodedBody } from './body-encoding.ts';

/**
 * Returns the body of a request, decompressed; undefined if it has none. The meter, made when its first bytes are read,
 * counts them as they are after decompression.
 * @throws what {@link decodedBody} throws
 */
export function meteredBody(
  { method, headers, body, raw }: FastifyRequest,
  makeMeter: () => BodyMeter,
): AsyncIterable<Uint8Array> | undefined {
  if (method === 'GET' || method === 'HEAD' || body === undefined || body === null) return undefined;
  let meter: BodyMeter | undefined;
  const count = (bytes: number): Promise<void> | undefined => (meter ??= makeMeter()).receive(bytes);
  const sent = body as AsyncIterable<Uint8Array>;
  if (headers['content-encoding'] === undefined) return receivedBody(sent, raw, count);
  return countedBody(decodedBody(headers, receivedBody(sent, raw)), count);
}
