import { X509Certificate } from 'node:crypto';
import { PlatformError } from '../../kernel/door/errors.ts';
import { bad } from '../../kernel/parameters/parse-value.ts';
import { outboundRules, outboundUrl } from '../../kernel/security/outbound.ts';
import type { Settings } from '../../kernel/declare/setting.ts';

/** Where a server is, and how it is reached. */
export interface MailServerAddress {
  readonly Host: string;
  readonly Port?: number;
  readonly Security?: 'TLS' | 'STARTTLS' | 'None';
  readonly Authorities?: string;
}

/** Returns a server as a URL for the connection rules: unencrypted connections are allowed to this machine only. */
export function serverUrl({ Host: host, Security: security }: MailServerAddress): URL {
  return new URL(`${security === 'None' ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}`);
}

/** @throws BAD_PARAMETER naming the option */
export function assertServerAddress(settings: Settings, address: MailServerAddress): void {
  const { Host: host, Port: port = 1, Security: security, Authorities: authorities } = address;
  if (!/^[A-Za-z0-9.:_-]{1,255}$/.test(host)) throw bad('Host', 'the name or address of a server');
  if (port < 1 || port > 65_535) throw bad('Port', 'a port between 1 and 65535');
  try {
    outboundUrl(outboundRules(settings), serverUrl(address).href, 'Host');
  } catch (error) {
    if (!(error instanceof PlatformError)) throw bad('Host', 'the name or address of a server');
    if (security === 'None')
      throw bad(
        'Security',
        'TLS or STARTTLS; None is allowed only for this machine, if the setting OutboundHttpLoopback allows it',
      );
    throw error;
  }
  if (authorities !== undefined && !areCertificates(authorities)) throw bad('Authorities', 'certificates in PEM');
}

function areCertificates(text: string): boolean {
  try {
    const found = text.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? [];
    return found.length > 0 && found.every((one) => new X509Certificate(one).subject !== '');
  } catch {
    return false;
  }
}
