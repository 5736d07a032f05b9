import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A server's certificate, with the authority that signed it. */
export interface ServerCertificate {
  /** File of the authority's certificate. */
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
}

/** Creates an authority and a certificate that it signs for names such as `DNS:localhost`, in a folder. */
export function serverCertificate(folder: string, names: readonly string[]): ServerCertificate {
  const openssl = (...parameters: string[]): void =>
    void execFileSync('openssl', parameters, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  openssl(
    'req',
    '-x509',
    ...newKey,
    '-days',
    '2',
    '-subj',
    '/CN=Test authority',
    '-keyout',
    'ca.key',
    '-out',
    'ca.pem',
  );
  openssl('req', ...newKey, '-subj', '/CN=database', '-keyout', 'server.key', '-out', 'server.csr');
  writeFileSync(join(folder, 'names'), `subjectAltName=${names.join(',')}\n`);
  const authority = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', 'names'];
  openssl('x509', '-req', '-in', 'server.csr', ...authority, '-days', '2', '-out', 'server.pem');
  return {
    authority: join(folder, 'ca.pem'),
    certificate: readFileSync(join(folder, 'server.pem'), 'utf8'),
    key: readFileSync(join(folder, 'server.key'), 'utf8'),
  };
}
