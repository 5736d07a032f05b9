import { BlockList, isIP } from 'node:net';
import { Cache } from '../time/cache.ts';

/** Most stored lists whose parsed form a process caches. */
const LISTS_MAX = 1_000;

const lists = new Cache<string, BlockList>({ max: LISTS_MAX });

/** Parses comma-separated networks in CIDR notation; undefined if the text is not such a list. */
export function networkList(text: string): BlockList | undefined {
  const list = new BlockList();
  for (const network of text.split(/[\s,]+/).filter((n) => n !== '')) {
    const [address = '', bits, more] = network.split('/');
    const family = isIP(address);
    const lengthMax = family === 4 ? 32 : 128;
    const length = bits === undefined ? lengthMax : prefixLength(bits);
    if (family === 0 || more !== undefined || length < 0 || length > lengthMax) return undefined;
    list.addSubnet(address, length, family === 4 ? 'ipv4' : 'ipv6');
  }
  return list;
}

/** Returns the networks of a stored list, from the cache if possible. A text that is not such a list has none. */
export function storedNetworks(text: string): BlockList {
  return lists.getOrLoad(text, () => networkList(text) ?? new BlockList());
}

function prefixLength(bits: string): number {
  return /^\d{1,3}$/.test(bits) ? Number(bits) : -1;
}

/** Whether an address is in one of the networks. An IPv4 address in IPv6 form is treated as IPv4. */
export function isAllowed(list: BlockList, address: string): boolean {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  const family = isIP(plain);
  return family !== 0 && list.check(plain, family === 4 ? 'ipv4' : 'ipv6');
}

/** Returns the network of an address, since one owner has many addresses. */
export function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  if (isIP(plain) === 4) return `${plain.split('.').slice(0, 3).join('.')}.0/24`;
  if (isIP(plain) !== 6) return plain;
  const [head = '', tail] = plain.toLowerCase().replace(/%.*$/, '').split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const whole =
    tail === undefined
      ? left
      : [...left, ...Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0'), ...right];
  return `${whole
    .slice(0, 3)
    .map((part) => Number.parseInt(part, 16).toString(16))
    .join(':')}::/48`;
}
