/**
 * Answers that contain secrets in the clear. A person or program asks for one by a call of its own, and each is logged.
 * Configuration, batches and queues would store it where others read it.
 */
import type { Operation } from '../declare/operation.ts';
import { parameter, type Parameters } from '../parameters/parameters.ts';
import { PlatformError } from './errors.ts';

/** Values of a parameter with which an answer stays masked. */
const falseWords: ReadonlySet<unknown> = new Set([null, undefined, '', false, 'false', '0', 'no', 'off', 0]);

/** Whether a call's answer contains secrets in the clear. A parameter that is still to be filled in counts as set. */
export function hasSecretAnswer({ secretAnswer }: Operation, parameters: Parameters): boolean {
  if (secretAnswer === undefined || secretAnswer === true) return secretAnswer === true;
  const value = parameter(parameters, secretAnswer);
  return !falseWords.has(typeof value === 'string' ? value.trim().toLowerCase() : value);
}

/** Throws NO_PERMISSION for a call that configuration or a queue makes, or an agent, if its answer contains secrets. */
export function assertNoSecretAnswer(operation: Operation, parameters: Parameters): void {
  if (!hasSecretAnswer(operation, parameters)) return;
  const { permissionName, secretAnswer } = operation;
  const condition = typeof secretAnswer === 'string' ? ` with ${secretAnswer}` : '';
  throw new PlatformError('NO_PERMISSION', {
    message:
      `${permissionName}${condition} returns secrets in the clear. Call it directly: ` +
      'configuration, batches, queues and agents cannot.',
    ...(typeof secretAnswer === 'string' ? { field: secretAnswer } : {}),
  });
}
