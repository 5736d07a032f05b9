import { createHash, createPublicKey } from 'node:crypto';
import ssh2 from 'ssh2';
import { bad } from '../../../../kernel/parameters/parse-value.ts';

/** Most keys of one account: a few people, each rotating a key. */
const KEYS_MAX = 10;
/** Fewest bits of an RSA key. */
const RSA_BITS_MIN = 2048;
/** Accepted key types. */
const KEY_TYPES: readonly string[] = [
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'ssh-rsa',
];

/** A public key of an account. */
export interface AccountKey {
  readonly type: string;
  /** The key as SSH encodes it, in base64. */
  readonly text: string;
  /** As shown by `ssh-keygen -l`. */
  readonly fingerprint: string;
  readonly comment: string;
}

/** Returns the fingerprint of an SSH-encoded key. */
export function fingerprintOf(data: Uint8Array): string {
  return `SHA256:${createHash('sha256').update(data).digest('base64').replace(/=+$/, '')}`;
}

/**
 * Parses keys, one per line.
 * @throws BAD_PARAMETER naming the line
 */
export function parseKeys(text: string): readonly AccountKey[] {
  const lines = text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if (lines.length > KEYS_MAX) throw bad('PublicKeys', `at most ${KEYS_MAX} keys`);
  return lines.map((line, index) => parseKey(line, index + 1));
}

function parseKey(line: string, number: number): AccountKey {
  if (line.includes('PRIVATE KEY'))
    throw bad('PublicKeys', 'public keys; a private key must never leave its owner, so create a new pair');
  const [type = '', base64 = '', ...comment] = line.split(/\s+/);
  if (!KEY_TYPES.includes(type))
    throw bad(
      'PublicKeys',
      `keys as OpenSSH writes them, one per line, starting with ${KEY_TYPES.join(', ')} (line ${number})`,
    );
  const parsed = ssh2.utils.parseKey(`${type} ${base64}`);
  const data = Buffer.from(base64, 'base64');
  // The stored key must equal the parsed one: base64 decoding ignores invalid characters.
  if (parsed instanceof Error || parsed.isPrivateKey() || parsed.type !== type || !parsed.getPublicSSH().equals(data))
    throw bad('PublicKeys', `a readable ${type} key (line ${number})`);
  const bits = type === 'ssh-rsa' ? rsaBits(parsed.getPublicPEM()) : RSA_BITS_MIN;
  if (bits < RSA_BITS_MIN)
    throw bad('PublicKeys', `RSA keys of at least ${RSA_BITS_MIN} bits; the key in line ${number} has ${bits}`);
  return {
    type,
    text: data.toString('base64'),
    fingerprint: fingerprintOf(data),
    comment: comment
      .join(' ')
      .replace(/[^\x20-\x7e]/g, '')
      .slice(0, 100),
  };
}

/** Returns the length of an RSA key's modulus in bits; 0 if the verifying library cannot read the key. */
function rsaBits(pem: string): number {
  try {
    return createPublicKey(pem).asymmetricKeyDetails?.modulusLength ?? 0;
  } catch {
    return 0;
  }
}

/** Returns the stored text of keys, one per line. */
export function keysText(keys: readonly AccountKey[]): string {
  return keys.map(({ type, text, comment }) => `${type} ${text}${comment === '' ? '' : ` ${comment}`}`).join('\n');
}

/** Returns the text that people see of keys. */
export function fingerprintsText(keys: readonly AccountKey[]): string {
  return keys
    .map(({ type, fingerprint, comment }) => `${fingerprint} ${type}${comment === '' ? '' : ` ${comment}`}`)
    .join('\n');
}
