import { createHash, generateKeyPair } from 'node:crypto';
import { chmodSync, existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import ssh2 from 'ssh2';
import { ConfigurationError } from './configuration-error.ts';

const generate = promisify(generateKeyPair);
/** Length of the RSA key, for clients without Ed25519. */
const RSA_BITS = 3072;
const ATTEMPTS_MAX = 20;

/** Host keys of the sFTP server. */
export interface HostKeys {
  /** Private keys in PEM. */
  readonly keys: readonly string[];
  /** Their fingerprints, as clients show them. */
  readonly fingerprints: readonly string[];
}

/**
 * Returns the host keys from the environment, or else from a file, which is created if missing, readable by its owner
 * only. Servers behind one name need the same keys: a client takes another key for an attack.
 */
export async function openHostKeys(file: string, fromEnvironment: string | undefined): Promise<HostKeys> {
  if (fromEnvironment !== undefined) return parse(fromEnvironment.replaceAll('\\n', '\n'), 'SFTP_HOST_KEYS');
  if (!existsSync(file)) await make(file);
  return parse(readFileSync(file, 'utf8'), file);
}

/**
 * Returns a new Ed25519 key. The library writes one in a few hundred unreadably, even for itself; then another one is
 * created.
 */
export function newHostKey(): string {
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const { private: key } = ssh2.utils.generateKeyPairSync('ed25519');
    if (!(ssh2.utils.parseKey(key) instanceof Error)) return key;
  }
  throw new Error('could not generate a host key for the sFTP server');
}

/**
 * Creates the key file. Two processes may start together: the file gets its name when complete, and the second process
 * uses the first one's.
 */
async function make(file: string): Promise<void> {
  const rsa = await generate('rsa', {
    modulusLength: RSA_BITS,
    publicKeyEncoding: { type: 'pkcs1', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
  mkdirSync(dirname(file), { recursive: true });
  const part = `${file}.${process.pid}`;
  try {
    writeFileSync(part, `${newHostKey().trim()}\n${rsa.privateKey.trim()}\n`, { mode: 0o600 });
    chmodSync(part, 0o600);
    linkSync(part, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(part, { force: true });
  }
}

function parse(text: string, source: string): HostKeys {
  const keys = text.match(/-----BEGIN [^-]+-----[^-]+-----END [^-]+-----/g) ?? [];
  const fingerprints = keys.map((key) => fingerprintOf(key, source));
  if (keys.length === 0)
    throw new ConfigurationError(`${source}: expected private keys for the sFTP server, as ssh-keygen writes them`);
  return { keys, fingerprints };
}

function fingerprintOf(key: string, source: string): string {
  const parsed = ssh2.utils.parseKey(key);
  if (parsed instanceof Error || !parsed.isPrivateKey())
    throw new ConfigurationError(`${source}: expected private keys without a passphrase; one of them cannot be read`);
  if (!['ssh-ed25519', 'ssh-rsa'].includes(parsed.type))
    throw new ConfigurationError(`${source}: expected Ed25519 or RSA keys, and one of them is ${parsed.type}`);
  return `SHA256:${createHash('sha256').update(parsed.getPublicSSH()).digest('base64').replace(/=+$/, '')}`;
}
