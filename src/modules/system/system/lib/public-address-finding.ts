import { publicAddress } from '../../../../kernel/declare/core-settings.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { certificateWarningDays, publicAddressCheck } from '../settings.ts';

/** What the check of PublicAddress means for the health report. */
interface AddressFinding {
  readonly State: 'ok' | 'warning';
  readonly Detail: string;
  readonly Advice?: string;
  readonly Since?: string | null;
}

/** A problem is reported once it has lasted for this long: a server that restarts does not answer for some seconds. */
const LASTING_MINUTES = 2;

interface StoredCheck {
  readonly outcome: string | null;
  readonly found: string | null;
  readonly expires: string | null;
  readonly since: string | null;
}

/** Reports whether PublicAddress leads to this installation, as housekeeping has found: nothing is connected to. */
export async function checkedPublicAddress(ctx: Context): Promise<AddressFinding> {
  const address = ctx.settings.get(publicAddress).trim();
  if (!ctx.settings.get(publicAddressCheck)) return { State: 'ok', Detail: `${address} is not checked.` };
  const [row] = await ctx.db.query<StoredCheck>(
    'select outcome, found, expires, since from publicaddresscheck where address = $1::text',
    [address],
  );
  const lasting = ctx.clock.milliseconds() - LASTING_MINUTES * 60_000;
  if (row?.outcome === 'Reached') return certificateFinding(ctx, address, row.expires);
  if (!row?.outcome || row.since === null || Date.parse(row.since) > lasting)
    return { State: 'ok', Detail: `${address} has not been checked for long enough to tell.` };
  return {
    State: 'warning',
    Detail: `Expected this installation at ${address} (PublicAddress). Found: ${row.found ?? 'nothing'}.`,
    Since: row.since,
    Advice:
      'Correct the setting PublicAddress, or the name, the proxy or the certificate of that address. It is checked ' +
      'each minute until it leads here. If this server cannot connect to an address that people do reach, turn off ' +
      'the setting PublicAddressCheck.',
  };
}

function certificateFinding(ctx: Context, address: string, expires: string | null): AddressFinding {
  const reached = `${address} leads to this installation.`;
  const days = ctx.settings.get(certificateWarningDays);
  if (expires === null || Date.parse(expires) > ctx.clock.milliseconds() + days * 86_400_000)
    return { State: 'ok', Detail: reached };
  return {
    State: 'warning',
    Detail: `${reached} Its certificate expires on ${expires.slice(0, 10)}.`,
    Advice: 'Renew the certificate of that address; once it has expired, nobody can sign in.',
  };
}
