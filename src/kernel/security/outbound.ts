import { lookup as resolveName } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { outboundAllowedNetworks, outboundHttpLoopback } from '../declare/core-settings.ts';
import { isAllowed, networkList } from './networks.ts';
import { bad } from '../parameters/parse-value.ts';
import type { Settings } from '../declare/setting.ts';

/**
 * Networks outside the public internet: private, loopback, link-local (where clouds keep their metadata), shared,
 * reserved, documentation, multicast.
 */
const closedNetworks4 = networkList(
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 ' +
    '192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4',
) as BlockList;
/**
 * For IPv6: everything but 2000::/3, which the public internet uses, and in it the forms that embed an IPv4 address and
 * documentation. A separate list: merged with the other, these networks would close all of IPv4 in its mapped form.
 */
const closedNetworks6 = networkList('::/3 4000::/2 8000::/1 2001::/23 2001:db8::/32 2002::/16 3fff::/20') as BlockList;
/** Networks besides the public internet in which the installation's own address may be. */
const ownNetworks = networkList(
  '10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 172.16.0.0/12 192.168.0.0/16 ::1 fc00::/7',
) as BlockList;
const loopback = networkList('127.0.0.0/8 ::1') as BlockList;

/** Code of a refusal to connect; nothing was sent. */
export const ADDRESS_REFUSED = 'ADDRESS_REFUSED';

/** Resolves a name to addresses, as `node:dns` does. */
export type Resolve = typeof resolveName;

/** Where the platform may connect on its own behalf, according to the settings. */
export interface OutboundRules {
  readonly allowed: BlockList | undefined;
  readonly isHttpLoopback: boolean;
  /** The address is the installation's own, which may be private and without encryption. */
  readonly isOwn?: true;
}

/** Rules of connections to the address of the installation itself, which a setting names. */
export const OWN_ADDRESS_RULES: OutboundRules = { allowed: undefined, isHttpLoopback: true, isOwn: true };

/** Returns the rules of the settings. An unreadable list of networks allows none. */
export function outboundRules(settings: Settings): OutboundRules {
  const text = settings.get(outboundAllowedNetworks);
  return {
    allowed: text.trim() === '' ? undefined : networkList(text),
    isHttpLoopback: settings.get(outboundHttpLoopback),
  };
}

/** Returns the host of a URL as an address or name, without the brackets of IPv6 addresses. */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

/** Whether an address belongs to the public internet. An IPv4 address in IPv6 form is treated as IPv4. */
export function isPublic(address: string): boolean {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  return isIP(plain) === 4
    ? !closedNetworks4.check(plain, 'ipv4')
    : isIP(plain) === 6 && !closedNetworks6.check(plain, 'ipv6');
}

/** Whether an address of this machine. */
export function isLoopback(address: string): boolean {
  return isAllowed(loopback, address);
}

/** Whether an address may be connected to. `isPlain`: over http, which most rules allow to this machine only. */
function mayConnect(rules: OutboundRules, address: string, isPlain: boolean): boolean {
  if (rules.isOwn) return isPublic(address) || isAllowed(ownNetworks, address);
  if (isPlain) return rules.isHttpLoopback && isAllowed(loopback, address);
  if (rules.allowed && isAllowed(rules.allowed, address)) return true;
  return isPublic(address);
}

/**
 * Parses a URL that the platform is to send to; `field` names it in the error. The addresses of its host name are
 * checked when connecting.
 */
export function outboundUrl(rules: OutboundRules, text: string, field: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url?.protocol === 'http:';
  if (!url || (url.protocol !== 'https:' && !isPlain)) throw bad(field, 'a URL that begins with https://');
  const host = hostOf(url);
  if (isPlain && !(rules.isHttpLoopback && (host === 'localhost' || isAllowed(loopback, host))))
    throw bad(
      field,
      'a URL that begins with https://; http is allowed only to this machine itself, if the setting ' +
        'OutboundHttpLoopback allows it',
    );
  if (url.username !== '' || url.password !== '')
    throw bad(field, 'a URL without user name and password; send them in a header');
  if (url.hash !== '') throw bad(field, 'a URL without a fragment');
  if (isIP(host) !== 0 && !mayConnect(rules, host, isPlain))
    throw bad(
      field,
      'an address on the public internet, or in a network that the setting OutboundAllowedNetworks names',
    );
  return url;
}

class RefusedAddress extends Error {
  readonly code = ADDRESS_REFUSED;
}

/**
 * Returns a DNS lookup for connections to a URL: every address of the name must be allowed, and the connection uses the
 * checked address, so that a name that changes a moment later gains nothing. Throws if the URL itself has an address
 * that is not allowed, since such a host is not looked up.
 */
export function guardedLookup(rules: OutboundRules, url: URL, resolve: Resolve = resolveName): LookupFunction {
  const isPlain = url.protocol === 'http:';
  return checkedLookup(hostOf(url), (address) => mayConnect(rules, address, isPlain), resolve);
}

/**
 * Returns a DNS lookup for connections that are not encrypted: to this machine, and to the networks that the setting
 * OutboundAllowedNetworks names. Throws as {@link guardedLookup}.
 */
export function unencryptedLookup(rules: OutboundRules, host: string, resolve: Resolve = resolveName): LookupFunction {
  const isPermitted = (address: string): boolean =>
    isLoopback(address) || (rules.allowed !== undefined && isAllowed(rules.allowed, address) && !isPublic(address));
  return checkedLookup(host, isPermitted, resolve);
}

function checkedLookup(host: string, isPermitted: (address: string) => boolean, resolve: Resolve): LookupFunction {
  if (isIP(host) !== 0 && !isPermitted(host)) throw new RefusedAddress('the address may not be connected to');
  return (name, options, callback) => {
    resolve(name, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '', 0);
      const [first] = addresses;
      if (!first) return callback(new Error('the name has no address'), '', 0);
      if (addresses.some(({ address }) => !isPermitted(address)))
        return callback(new RefusedAddress('the name has an address that may not be connected to'), '', 0);
      if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}
