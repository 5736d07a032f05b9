import { createPrivateKey, X509Certificate } from 'node:crypto';
import { isMailAddress } from '../../../contracts/mail-validation.ts';
import type { MailOutboundType } from '../../../contracts/mail-outbound.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { outboundRules, outboundUrl } from '../../../kernel/security/outbound.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import type { Settings } from '../../../kernel/declare/setting.ts';
import { serverUrl, SmtpMailOutbound } from './smtp-mail-outbound.ts';
import { smtpOptions, type SmtpOptions } from './smtp-options.ts';

/** Servers that accept mail by SMTP. */
export function smtpServers(settings: Settings): MailOutboundType<typeof smtpOptions> {
  return {
    options: smtpOptions,
    validate({ options }) {
      validateServer(settings, options);
      validateCredentials(settings, options);
      validateSignature(options);
      const { FromAddress: fromAddress, FromName: fromName = '' } = options;
      if (!isMailAddress(fromAddress)) throw bad('FromAddress', 'an email address such as cases@example.com');
      if (/\p{Cc}/u.test(fromName)) throw bad('FromName', 'a name on one line');
    },
    open: ({ options }) => new SmtpMailOutbound(options, () => outboundRules(settings)),
  };
}

function validateServer(settings: Settings, options: SmtpOptions): void {
  const { Host: host, Port: port = 1, Security: security = 'STARTTLS', Authorities: authorities } = options;
  if (!/^[A-Za-z0-9.:_-]{1,255}$/.test(host)) throw bad('Host', 'the name or address of a server');
  if (port < 1 || port > 65_535) throw bad('Port', 'a port between 1 and 65535');
  try {
    outboundUrl(outboundRules(settings), serverUrl(options).href, 'Host');
  } catch (error) {
    if (!(error instanceof PlatformError)) throw bad('Host', 'the name or address of a server');
    if (security === 'None')
      throw bad(
        'Security',
        'STARTTLS or TLS; None is allowed only for this machine, if the setting OutboundHttpLoopback allows it',
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

/** A user signs in with a password, or by OAuth 2 with a refresh token that is exchanged for an access token. */
function validateCredentials(settings: Settings, options: SmtpOptions): void {
  const { UserName: userName, Password: password, TokenURL, ClientID, RefreshToken, ClientSecret } = options;
  const hasToken = [TokenURL, ClientID, RefreshToken, ClientSecret].some((value) => value !== undefined);
  if (userName === undefined) {
    if (password !== undefined || hasToken) throw bad('UserName', 'the user name for the credentials');
    return;
  }
  if ((password !== undefined) === hasToken)
    throw bad('Password', 'either Password, or TokenURL with ClientID and RefreshToken');
  if (/\p{Cc}/u.test(userName)) throw bad('UserName', 'a name on one line');
  if (hasToken) validateToken(settings, options);
}

function validateToken(settings: Settings, { TokenURL, ClientID, RefreshToken }: SmtpOptions): void {
  const together = 'TokenURL, ClientID and RefreshToken together';
  if (TokenURL === undefined) throw bad('TokenURL', together);
  if (ClientID === undefined) throw bad('ClientID', together);
  if (RefreshToken === undefined) throw bad('RefreshToken', together);
  outboundUrl(outboundRules(settings), TokenURL, 'TokenURL');
}

function validateSignature({ SignatureDomain, SignatureSelector, SignatureKey }: SmtpOptions): void {
  if (SignatureDomain === undefined && SignatureSelector === undefined && SignatureKey === undefined) return;
  if (SignatureDomain === undefined || !/^[A-Za-z0-9.-]{1,253}$/.test(SignatureDomain))
    throw bad('SignatureDomain', 'the domain whose key signs, together with SignatureSelector and SignatureKey');
  if (SignatureSelector === undefined || !/^[A-Za-z0-9._-]{1,63}$/.test(SignatureSelector))
    throw bad(
      'SignatureSelector',
      'the name of the key below the domain, together with SignatureDomain and SignatureKey',
    );
  try {
    if (!['rsa', 'ed25519'].includes(createPrivateKey(SignatureKey ?? '').asymmetricKeyType ?? ''))
      throw new Error('another kind');
  } catch {
    throw bad('SignatureKey', 'a private key, RSA or Ed25519, in PEM');
  }
}
