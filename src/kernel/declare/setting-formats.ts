import { splitCommaList } from '../parameters/split-list.ts';
import { networkList } from '../security/networks.ts';
import type { SettingFormat } from './setting.ts';

/** Characters that have no place in an address, or would end it where it is quoted. */
const FORBIDDEN = /[\s"'<>\\^`{|}\p{C}]/u;

/** Browsers' extensions and programs have origins with schemes of their own. */
const ORIGIN = /^[a-z][a-z\d+.-]*:\/\/[^/?#@]+$/i;

/** An address of a server, with a path or without. */
export const addressFormat: SettingFormat = {
  expected: 'an address such as https://cases.example, without query, credentials, quotes or spaces',
  fits: (text) => isAddress(text),
};

/** Web origins, comma-separated. */
export const originsFormat: SettingFormat = {
  expected: 'web origins such as https://agents.example, comma-separated, without paths',
  fits: (text) => splitCommaList(text).every((each) => ORIGIN.test(each) && !FORBIDDEN.test(each)),
};

/** Most operations that agents are offered as separate tools. */
export const AGENT_TOOLS_MAX = 50;

/** Operations, comma-separated. */
export const operationsFormat: SettingFormat = {
  expected: `at most ${AGENT_TOOLS_MAX} operations such as loan/search, comma-separated`,
  fits: (text) => {
    const names = splitCommaList(text);
    return names.length <= AGENT_TOOLS_MAX && names.every((name) => /^\/?[\w{}-]+(\/[\w{}-]+)+$/.test(name));
  },
};

/** Networks, comma-separated. */
export const networksFormat: SettingFormat = {
  expected: 'addresses or networks in CIDR notation such as 192.0.2.0/24, comma-separated',
  fits: (text) => networkList(text) !== undefined,
};

function isAddress(text: string): boolean {
  if (FORBIDDEN.test(text) || !/^https?:\/\//i.test(text) || /[?#@]/.test(text) || !URL.canParse(text)) return false;
  return new URL(text).hostname !== '';
}
