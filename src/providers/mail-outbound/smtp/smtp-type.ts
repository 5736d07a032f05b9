import { createPrivateKey, X509Certificate } from 'node:crypto';
import { isMailAddress } from '../../../contracts/mail-validation.ts';
import type { MailAccount, MailOutboundType } from '../../../contracts/mail-outbound.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { outboundRules, outboundUrl } from '../../../kernel/security/outbound.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import type { Settings } from '../../../kernel/declare/setting.ts';
import { securityPorts, serverUrl, SmtpMailOutbound } from './smtp-mail-outbound.ts';

/** Servers that accept mail by SMTP. */
export function smtpServers(settings: Settings): MailOutboundType {
  return {
    required: ['host', 'fromAddress'],
    optional: [
      'port',
      'security',
      'authorities',
      'fromName',
      'userName',
      'password',
      'tokenUrl',
      'clientId',
      'clientSecret',
      'refreshToken',
      'signatureDomain',
      'signatureSelector',
      'signatureKey',
      'connectionsMax',
      'timeoutSeconds',
    ],
    validate(account) {
      validateServer(settings, account);
      validateCredentials(settings, account);
      validateSignature(account);
      const { fromAddress = '', fromName = '' } = account;
      if (!isMailAddress(fromAddress)) throw bad('FromAddress', 'a mail address such as cases@example.com');
      if (/\p{Cc}/u.test(fromName)) throw bad('FromName', 'a name on one line');
    },
    open: (account) => new SmtpMailOutbound(account, () => outboundRules(settings)),
  };
}

function validateServer(settings: Settings, account: MailAccount): void {
  const { host = '', port = 1, security = 'STARTTLS', authorities } = account;
  if (!/^[A-Za-z0-9.:_-]{1,255}$/.test(host)) throw bad('Host', 'the name or address of a server');
  if (port < 1 || port > 65_535) throw bad('Port', 'a port between 1 and 65535');
  if (securityPorts[security] === undefined) throw bad('Security', Object.keys(securityPorts).join(', '));
  try {
    outboundUrl(outboundRules(settings), serverUrl(account).href, 'Host');
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
function validateCredentials(settings: Settings, account: MailAccount): void {
  const { userName, password, tokenUrl, clientId, refreshToken, clientSecret } = account;
  const hasToken = [tokenUrl, clientId, refreshToken, clientSecret].some((value) => value !== undefined);
  if (userName === undefined) {
    if (password !== undefined || hasToken) throw bad('UserName', 'the user name for the credentials');
    return;
  }
  if ((password !== undefined) === hasToken)
    throw bad('Password', 'either Password, or TokenURL with ClientID and RefreshToken');
  if (/\p{Cc}/u.test(userName)) throw bad('UserName', 'a name on one line');
  if (hasToken) validateToken(settings, account);
}

function validateToken(settings: Settings, { tokenUrl, clientId, refreshToken }: MailAccount): void {
  const together = 'TokenURL, ClientID and RefreshToken together';
  if (tokenUrl === undefined) throw bad('TokenURL', together);
  if (clientId === undefined) throw bad('ClientID', together);
  if (refreshToken === undefined) throw bad('RefreshToken', together);
  outboundUrl(outboundRules(settings), tokenUrl, 'TokenURL');
}

function validateSignature({ signatureDomain, signatureSelector, signatureKey }: MailAccount): void {
  if (signatureDomain === undefined && signatureSelector === undefined && signatureKey === undefined) return;
  if (signatureDomain === undefined || !/^[A-Za-z0-9.-]{1,253}$/.test(signatureDomain))
    throw bad('SignatureDomain', 'the domain whose key signs, together with SignatureSelector and SignatureKey');
  if (signatureSelector === undefined || !/^[A-Za-z0-9._-]{1,63}$/.test(signatureSelector))
    throw bad(
      'SignatureSelector',
      'the name of the key below the domain, together with SignatureDomain and SignatureKey',
    );
  try {
    if (!['rsa', 'ed25519'].includes(createPrivateKey(signatureKey ?? '').asymmetricKeyType ?? ''))
      throw new Error('another kind');
  } catch {
    throw bad('SignatureKey', 'a private key, RSA or Ed25519, in PEM');
  }
}
