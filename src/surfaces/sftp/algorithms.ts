import { createRequire } from 'node:module';
import ssh2, { type Algorithms, type ParsedKey } from 'ssh2';

/** Signatures of RSA host keys. */
const RSA_SIGNATURES = ['rsa-sha2-512', 'rsa-sha2-256'] as const;

/**
 * Offered algorithms: nothing with SHA-1, no CBC. AES-GCM only, because with this Node the library's native part
 * supports no other cipher; it needs no separate MAC.
 */
export const algorithms: Algorithms = {
  kex: [
    'curve25519-sha256',
    'curve25519-sha256@libssh.org',
    'ecdh-sha2-nistp256',
    'ecdh-sha2-nistp384',
    'ecdh-sha2-nistp521',
    'diffie-hellman-group16-sha512',
    'diffie-hellman-group18-sha512',
    'diffie-hellman-group14-sha256',
  ],
  cipher: ['aes128-gcm@openssh.com', 'aes256-gcm@openssh.com'],
  serverHostKey: ['ssh-ed25519', ...RSA_SIGNATURES],
  hmac: ['hmac-sha2-256-etm@openssh.com', 'hmac-sha2-512-etm@openssh.com'],
  compress: ['none'],
};

/** Whether the library found its native part, which encrypts several times as fast; it does not report this itself. */
export function isNative(): boolean {
  const { bindingAvailable } = createRequire(import.meta.url)('ssh2/lib/protocol/crypto.js') as {
    readonly bindingAvailable?: boolean;
  };
  return bindingAvailable === true;
}

/**
 * Returns host keys for the library's server. For an RSA key it would also offer signatures with SHA-1, whatever the
 * algorithms say, unless the key names its algorithm itself: one object for each that is offered.
 */
export function offeredHostKeys(keys: readonly string[]): ParsedKey[] {
  return keys.flatMap((text): ParsedKey[] => {
    const key = ssh2.utils.parseKey(text);
    if (key instanceof Error) throw key;
    if (key.type !== 'ssh-rsa') return [key];
    return RSA_SIGNATURES.map((type) => Object.create(key, { type: { value: type } }) as ParsedKey);
  });
}
