/**
 * Checks that PublicAddress leads to this installation: links in mail, webhooks and the return from a payment gateway's
 * page depend on it. The address must answer a random path with a value that only this database has.
 */
import { randomBytes } from 'node:crypto';
import { publicAddress } from '../../../../kernel/declare/core-settings.ts';
import type { Db } from '../../../../kernel/database/store.ts';
import type { Platform } from '../../../../kernel/ports/platform.ts';
import { ADDRESS_REFUSED, guardedLookup, OWN_ADDRESS_RULES } from '../../../../kernel/security/outbound.ts';
import { readCertificateEnd } from '../../../../lib/certificates/read-certificate.ts';
import { sendOutboundRequest, type OutboundResponse } from '../../../../lib/http/outbound-request.ts';
import { publicAddressCheck } from '../settings.ts';

/** Path below the address; a nonce follows. */
const PATH = '/api/healthcheck/';
/** Minutes after which an address that led here is checked again. Any other is checked again each minute. */
const REPEAT_MINUTES = 15;
/** Time limits of the request, and of reading the certificate. */
const MILLISECONDS_MAX = 10_000;
const ANSWER_BYTES_MAX = 2_000;
const FOUND_MAX = 300;
const HTTPS_PORT = 443;

/** `Reached`: the address leads here. `Certificate`: it has none that this server trusts. */
type AddressOutcome = 'Reached' | 'NotReached' | 'Certificate' | 'Redirect' | 'Other';

/** What was found at an address, in words, such as "nothing answered within 10 seconds". */
interface AddressFound {
  readonly outcome: AddressOutcome;
  readonly found: string | null;
  /** When its certificate ends. */
  readonly expires?: string | null;
}

/** Housekeeping: checks PublicAddress, unless it led here a few minutes ago. */
export const checkPublicAddress = {
  name: 'public address',
  everyMinutes: 1,
  async run({ store, settings, clock }: Platform): Promise<number> {
    if (!settings.get(publicAddressCheck)) return 0;
    const address = settings.get(publicAddress).trim();
    const repeatBefore = new Date(clock.milliseconds() - REPEAT_MINUTES * 60_000).toISOString();
    const [nonce, answer] = [randomBytes(32).toString('base64url'), randomBytes(32).toString('base64url')];
    if (!(await storeNonce(store, { address, nonce, answer, repeatBefore }))) return 0;
    await storeOutcome(store, address, clock.now(), await findAt(address, nonce, answer));
    return 1;
  },
} as const;

/** Stores what the address must answer. Returns false if it need not be checked yet. */
async function storeNonce(
  db: Db,
  of: { readonly address: string; readonly nonce: string; readonly answer: string; readonly repeatBefore: string },
): Promise<boolean> {
  const rows = await db.query(
    `insert into publicaddresscheck as c (address, nonce, answer) values ($1::text, $2::text, $3::text)
     on conflict (singleton) do update
     set address = excluded.address, nonce = excluded.nonce, answer = excluded.answer,
       outcome = case when c.address = excluded.address then c.outcome end,
       since = case when c.address = excluded.address then c.since end
     where c.address <> excluded.address or c.outcome is distinct from 'Reached' or c.checkeddate < $4::timestamptz
     returning 1`,
    [of.address, of.nonce, of.answer, of.repeatBefore],
  );
  return rows.length > 0;
}

async function storeOutcome(db: Db, address: string, now: string, of: AddressFound): Promise<void> {
  await db.query(
    `update publicaddresscheck set found = $3::text, expires = $4::timestamptz, checkeddate = $5::timestamptz,
       since = case when outcome = $2::text then coalesce(since, $5::timestamptz) else $5::timestamptz end,
       outcome = $2::text
     where address = $1::text`,
    [address, of.outcome, of.found?.slice(0, FOUND_MAX) ?? null, of.expires ?? null, now],
  );
}

async function findAt(address: string, nonce: string, answer: string): Promise<AddressFound> {
  const url = new URL(`${address.replace(/\/+$/, '')}${PATH}${nonce}`);
  try {
    const response = await sendOutboundRequest(url, {
      method: 'GET',
      headers: {},
      rules: OWN_ADDRESS_RULES,
      milliseconds: MILLISECONDS_MAX,
      answerBytesMax: ANSWER_BYTES_MAX,
      isAnswerCut: true,
    });
    return { ...foundIn(response, answer), expires: await certificateEnd(url) };
  } catch (error) {
    return foundByError(error);
  }
}

function foundIn({ status, headers, body }: OutboundResponse, answer: string): AddressFound {
  if (status === 200 && body.trim() === answer) return { outcome: 'Reached', found: null };
  if (status >= 300 && status < 400)
    return { outcome: 'Redirect', found: `it redirects to ${originOf(headers.location)}` };
  if (body.includes('HTTPS_REQUIRED'))
    return { outcome: 'Other', found: 'Casewright accepts only https:// from the public internet' };
  return { outcome: 'Other', found: `another server or installation answered, with status ${status}` };
}

/** Returns the origin of a redirect: its path may have anything in it. */
function originOf(location: string | undefined): string {
  return location !== undefined && URL.canParse(location) ? new URL(location).origin : 'another address';
}

const certificateTexts: ReadonlyMap<string, string> = new Map([
  ['CERT_HAS_EXPIRED', 'its certificate has expired'],
  ['CERT_NOT_YET_VALID', 'its certificate is not valid yet'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'its certificate is for another name'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'its certificate is signed by itself'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'this server does not trust the authority of its certificate'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'this server does not trust the authority of its certificate'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'this server does not trust the authority of its certificate'],
]);

const connectionTexts: ReadonlyMap<string, string> = new Map([
  ['ENOTFOUND', 'its name is not known'],
  ['EAI_AGAIN', 'its name could not be looked up'],
  ['ECONNREFUSED', 'the connection was refused'],
  ['TIMED_OUT', `nothing answered within ${MILLISECONDS_MAX / 1_000} seconds`],
  ['ETIMEDOUT', `nothing answered within ${MILLISECONDS_MAX / 1_000} seconds`],
  ['EPROTO', 'it does not speak https'],
  [ADDRESS_REFUSED, 'an address that no server can have'],
]);

function foundByError(error: unknown): AddressFound {
  const { code = '' } = error as { readonly code?: string };
  const certificate = certificateTexts.get(code);
  if (certificate !== undefined) return { outcome: 'Certificate', found: certificate };
  return { outcome: 'NotReached', found: connectionTexts.get(code) ?? 'the connection failed' };
}

/** Returns when the certificate of an address ends; null without one. */
async function certificateEnd(url: URL): Promise<string | null> {
  if (url.protocol !== 'https:') return null;
  const server = {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? HTTPS_PORT : Number(url.port),
    start: 'TLS',
    lookup: guardedLookup(OWN_ADDRESS_RULES, url),
  } as const;
  return readCertificateEnd(server, MILLISECONDS_MAX).catch(() => null);
}
