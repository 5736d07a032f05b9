import { MAIL_OUTBOUND, type RecipientOutcome } from '../../../../contracts/mail-outbound.ts';
import { assertMail } from '../../../../contracts/mail-validation.ts';
import type { SendOptions } from '../../../../contracts/sending.ts';
import { assertText, TEXT_OUTBOUND } from '../../../../contracts/text-outbound.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { groupCalls, inLanes } from '../../../../lib/grouping/group-calls.ts';
import { blockedReason } from '../../lib/outcome/suppressions.ts';
import { claimMails, readContents, recordDataBegun, SEND_SECONDS_MAX, type HeldMail, type MailClaim } from './claim.ts';
import { openContent, PASSING_FAILURES, type MailContent } from './mail-content.ts';
import { outgoingMail, outgoingText } from './outgoing-mail.ts';
import { recordOutcomes, type EndedAttempt, type MailOutcome } from './record-outcome.ts';

/** Mails that one call sends at once. A mail server's own limit of connections is lower, as a rule. */
const LANES_MAX = 20;
/** Mails that are claimed together. With few connections they wait for their turn, within the lease. */
const CLAIMED_TOGETHER_MAX = 50;

/** A claimed mail with what its attempt needs. */
interface ClaimedMail extends MailClaim {
  readonly content: MailContent | undefined;
}

/**
 * Sends the mails of one call. Beginnings and outcomes of mails that are sent at the same time share their statements;
 * a content that mails share is opened once; and the next mail is sent while the outcome of the last one is recorded.
 */
export class DeliveryRun {
  /** The messages of the mails that were claimed. The caller sums them up. */
  readonly messages = new Set<number>();
  private readonly ctx: Context;
  private readonly contents = new Map<number, MailContent>();
  private readonly begin = groupCalls((mails: readonly HeldMail[]) => recordDataBegun(this.ctx, mails));
  private readonly record = groupCalls((attempts: readonly EndedAttempt[]) => recordOutcomes(this.ctx, attempts));

  constructor(ctx: Context) {
    this.ctx = ctx;
  }

  /**
   * Makes one attempt for each mail and records its outcome. Returns the outcomes by mail, without those that could not
   * be claimed. @throws what recording throws, once all attempts have ended
   */
  async deliver(ids: readonly number[]): Promise<ReadonlyMap<number, MailOutcome>> {
    const outcomes = new Map<number, MailOutcome>();
    const recording: Promise<void>[] = [];
    const attempts = await inLanes(this.claims(ids), LANES_MAX, async (claim) => {
      const ended = await this.attemptOf(claim);
      const recorded = this.record(ended).then((outcome) => void outcomes.set(claim.id, outcome));
      // A failure is thrown once all attempts have ended.
      recorded.catch(() => undefined);
      recording.push(recorded);
    });
    const results = [...attempts, ...(await Promise.allSettled(recording))];
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
    return outcomes;
  }

  /** Claims mails in groups, each when the one before is taken. */
  private async *claims(ids: readonly number[]): AsyncGenerator<ClaimedMail> {
    for (let start = 0; start < ids.length; start += CLAIMED_TOGETHER_MAX)
      yield* await this.claim(ids.slice(start, start + CLAIMED_TOGETHER_MAX));
  }

  private async claim(ids: readonly number[]): Promise<readonly ClaimedMail[]> {
    const claims = (await claimMails(this.ctx, ids)).flatMap((claim) => claim ?? []);
    for (const { message } of claims) if (message !== null) this.messages.add(message);
    const missing = new Set(claims.flatMap(({ contentId }) => contentId ?? []).filter((id) => !this.contents.has(id)));
    if (missing.size > 0)
      for (const [id, sealed] of await readContents(this.ctx.db, [...missing]))
        this.contents.set(id, openContent(this.ctx.cipher, sealed));
    return claims.map((claim) => ({
      ...claim,
      content: claim.contentId === null ? undefined : this.contents.get(claim.contentId),
    }));
  }

  private async attemptOf(claim: ClaimedMail): Promise<EndedAttempt> {
    const contract = claim.type === 'Text' ? TEXT_OUTBOUND : MAIL_OUTBOUND;
    // Without a name, the present default.
    const server = claim.provider ?? this.ctx.providers.names(contract)[0];
    const reason = blockedReason(claim.blocked, claim.content?.isBulk === true);
    const isShared = claim.content?.isShared === true;
    return reason === undefined
      ? { claim, server, outcomes: await this.attempt(claim, server), isShared }
      : { claim, server, outcomes: outcomesOf(claim, 'refused', reason), isShared, isSuppressed: true };
  }

  /** Makes one attempt, outside any transaction. A failure before the transmission postpones the mail. */
  private async attempt(claim: ClaimedMail, server: string | undefined): Promise<readonly RecipientOutcome[]> {
    const { content } = claim;
    if (content === undefined) return outcomesOf(claim, 'refused', 'the email itself is no longer stored');
    let ifRefused: RecipientOutcome['status'] = 'refused';
    const options: SendOptions = {
      signal: AbortSignal.timeout(SEND_SECONDS_MAX * 1_000),
      beforeData: async () => {
        if (!(await this.begin(claim))) throw new PlatformError('CONCURRENT_CHANGE');
        ifRefused = 'unknown';
      },
    };
    try {
      if (claim.type === 'Text') {
        const text = outgoingText(claim, content);
        assertText(text);
        ifRefused = 'later';
        const { status, ...rest } = await this.ctx.providers.get(TEXT_OUTBOUND, server).send(text, options);
        return outcomesOf(claim, status, rest.detail).map((outcome) => ({ ...outcome, ...rest }));
      }
      const outbound = this.ctx.providers.get(MAIL_OUTBOUND, server);
      const mail = await outgoingMail(this.ctx, claim, content, outbound.from);
      assertMail(mail);
      // Of a valid mail only a setting can be refused, such as the networks that may be connected to. It can change.
      ifRefused = 'later';
      return await outbound.send(mail, options);
    } catch (error) {
      if (!(error instanceof PlatformError) || error.code === 'CONCURRENT_CHANGE') throw error;
      if (error.code === 'BAD_PARAMETER') return outcomesOf(claim, ifRefused, error.message);
      // A missing server can be configured; a deleted document or an invalid address cannot be fixed.
      return outcomesOf(claim, PASSING_FAILURES.has(error.code) ? 'later' : 'refused', error.message);
    }
  }
}

/** Returns the same outcome for all waiting recipients of a mail. */
function outcomesOf(
  { recipients }: MailClaim,
  status: RecipientOutcome['status'],
  detail: string | null,
): RecipientOutcome[] {
  return recipients
    .filter(({ Status }) => Status === 'Waiting')
    .map(({ Address }) => ({ address: Address, status, detail: detail?.slice(0, 300) ?? null }));
}
