import type { Context } from '../../../../kernel/door/context.ts';
import { certificateWarningDays } from '../settings.ts';

/** What the certificates of other servers mean for the health report. */
interface CertificateFinding {
  readonly State: 'ok' | 'warning' | 'failed';
  readonly Detail: string;
  readonly Advice?: string;
}

/** A certificate that housekeeping has read. */
interface StoredCertificate {
  readonly host: string;
  readonly port: number;
  readonly purpose: string;
  readonly expires: string | null;
}

/** Most certificates that the finding names. */
const NAMED_MAX = 10;

/** Reports certificates that have ended or end soon, as housekeeping has read them: nothing is connected to here. */
export async function checkServerCertificates(ctx: Context): Promise<CertificateFinding> {
  const rows = await ctx.db.query<StoredCertificate>(
    'select host, port, purpose, expires from servercertificate order by expires nulls last, host, port',
  );
  const days = ctx.settings.get(certificateWarningDays);
  const until = ctx.clock.milliseconds() + days * 86_400_000;
  const ending = rows.filter(({ expires }) => expires !== null && Date.parse(expires) <= until);
  const unread = rows.filter(({ expires }) => expires === null).length;
  const silent = unread === 0 ? '' : ` ${unread} returned no certificate.`;
  if (ending.length === 0)
    return { State: 'ok', Detail: `${rows.length - unread} read; none expires within ${days} days.${silent}` };
  const hasEnded = ending.some(({ expires }) => Date.parse(expires ?? '') <= ctx.clock.milliseconds());
  const lines = ending
    .slice(0, NAMED_MAX)
    .map(({ host, port, purpose, expires }) => `${purpose} (${host}:${port}) on ${expires?.slice(0, 10) ?? ''}`);
  const more = ending.length > NAMED_MAX ? ` and ${ending.length - NAMED_MAX} more` : '';
  return {
    State: hasEnded ? 'failed' : 'warning',
    Detail: `These certificates expire: ${lines.join(', ')}${more}.${silent}`,
    Advice:
      'Ask the operators of the servers to renew them. They are checked every six hours; the setting ' +
      `CertificateWarningDays (${days}) sets how early to warn.`,
  };
}
