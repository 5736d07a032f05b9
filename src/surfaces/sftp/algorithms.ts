import { createRequire } from 'node:module';
import type { Algorithms } from 'ssh2';

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
  serverHostKey: ['ssh-ed25519', 'rsa-sha2-512', 'rsa-sha2-256'],
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
