import { randomUUID } from 'node:crypto';
import type { Cipher } from '../../../../kernel/security/cipher.ts';
import type { Clock } from '../../../../kernel/time/clock.ts';

/** A browser in which users have signed in. */
export interface KnownDevice {
  readonly id: string;
  /** The users, the last one first. */
  readonly persons: readonly number[];
}

const DEVICE_PURPOSE = 'browser.device';
/** Most users that a browser is remembered for, such as on a shared computer. */
const PERSONS_MAX = 8;
/** How long a browser is remembered without a sign-in: what browsers keep a cookie at most. */
const DEVICE_DAYS = 400;

interface DeviceContent extends KnownDevice {
  readonly at: string;
}

/** Returns the browser of a cookie's value; undefined for one that is forged, too old, or sealed with a lost key. */
export function openDevice(cipher: Cipher, clock: Clock, value: string | undefined): KnownDevice | undefined {
  if (value === undefined) return undefined;
  try {
    const plain = cipher.open(DEVICE_PURPOSE, Buffer.from(value, 'base64url')).toString();
    const { id, persons, at } = JSON.parse(plain) as DeviceContent;
    const isCurrent = clock.milliseconds() - Date.parse(at) < DEVICE_DAYS * 86_400_000;
    return isCurrent ? { id, persons } : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the cookie's value of a browser in which a user has just signed in. Nobody else can make one. */
export function sealDevice(cipher: Cipher, clock: Clock, before: KnownDevice | undefined, personId: number): string {
  const persons = [personId, ...(before?.persons ?? []).filter((id) => id !== personId)].slice(0, PERSONS_MAX);
  const content: DeviceContent = { id: before?.id ?? randomUUID(), persons, at: clock.now() };
  return cipher.seal(DEVICE_PURPOSE, JSON.stringify(content)).toString('base64url');
}
