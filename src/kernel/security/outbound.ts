import { lookup as resolveName } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { outboundAllowedNetworks, outboundHttpLoopback } from '../declare/core-settings.ts';
import { isAllowed, networkList } from './networks.ts';
import { bad } from '../parameters/parse-value.ts';
import type { Settings } from '../declare/setting.ts';

/** Networks that are not the public internet: private, loopback, link-local (where clouds keep their metadata), shared, reserved, documentation, multicast. */
const closedNetworks4 = networkList(
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4',
) as BlockList;
/**
 * Of IPv6 all but 2000::/3, which is what the public has, and of that the forms that carry an IPv4 address and documentation.
 * A list of its own: in one with the other, these networks would close all of IPv4 in its mapped form.
 */
const closedNetworks6 = networkList('::/3 4000::/2 8000::/1 2001::/23 2001:db8::/32 2002::/16 3fff::/20') as BlockList;
const loopback = networkList('127.0.0.0/8 ::1') as BlockList;

/** The code of a refusal to connect; nothing was sent then. */
export const ADDRESS_REFUSED = 'ADDRESS_REFUSED';

/** Finds the addresses of a name, as `node:dns` does. */
export type Resolve = typeof resolveName;

/** Where the platform may connect on its own account, as the settings stand. */
export interface OutboundRules {
  readonly allowed: BlockList | undefined;
  readonly isHttpLoopback: boolean;
}

/** The rules of the settings. An unreadable list of networks allows none. */
export function outboundRules(settings: Settings): OutboundRules {
  const text = settings.get(outboundAllowedNetworks);
  return {
    allowed: text.trim() === '' ? undefined : networkList(text),
    isHttpLoopback: settings.get(outboundHttpLoopback),
  };
}

/** The host of a URL as an address or a name: IPv6 addresses stand in brackets in it. */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

/** Whether a connection to an address may be made. `isPlain`: over http, which the rules allow to this machine alone. */
function mayConnect(rules: OutboundRules, address: string, isPlain: boolean): boolean {
  if (isPlain) return rules.isHttpLoopback && isAllowed(loopback, address);
  if (rules.allowed && isAllowed(rules.allowed, address)) return true;
  return isIP(address) === 4
    ? !closedNetworks4.check(address, 'ipv4')
    : isIP(address) === 6 && !closedNetworks6.check(address, 'ipv6');
}

/** Reads a URL that the platform is to send to; `field` names it in the refusal. What its name resolves to is checked when it is sent to. */
export function outboundUrl(rules: OutboundRules, text: string, field: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url?.protocol === 'http:';
  if (!url || (url.protocol !== 'https:' && !isPlain)) throw bad(field, 'a URL that begins with https://');
  const host = hostOf(url);
  if (isPlain && !(rules.isHttpLoopback && (host === 'localhost' || isAllowed(loopback, host))))
    throw bad(
      field,
      'a URL that begins with https://; http is for this machine itself alone, where the setting OutboundHttpLoopback allows it',
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
 * A look-up for connections to a URL: every address that its name has must be one that may be connected to, and the connection
 * is made to what was looked at, so that a name that answers differently a moment later gains nothing. Throws where the URL
 * itself names an address that may not be connected to, since such a host is not looked up.
 */
export function guardedLookup(rules: OutboundRules, url: URL, resolve: Resolve = resolveName): LookupFunction {
  const isPlain = url.protocol === 'http:';
  const host = hostOf(url);
  if (isIP(host) !== 0 && !mayConnect(rules, host, isPlain))
    throw new RefusedAddress('the address may not be connected to');
  return (name, options, callback) => {
    resolve(name, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error || !first) return callback(error ?? new Error('the name has no address'), '', 0);
      if (addresses.some(({ address }) => !mayConnect(rules, address, isPlain)))
        return callback(new RefusedAddress('the name has an address that may not be connected to'), '', 0);
      if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}
