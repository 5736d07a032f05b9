import { MAIL_OUTBOUND, type RecipientOutcome } from '../../../../contracts/mail-outbound.ts';
import { assertMail } from '../../../../contracts/mail-validation.ts';
import type { SendOptions } from '../../../../contracts/sending.ts';
import { assertText, TEXT_OUTBOUND } from '../../../../contracts/text-outbound.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { groupCalls } from '../../../../lib/grouping/group-calls.ts';
import { blockedAddresses } from '../../lib/outcome/suppressions.ts';
import { claimMails, readContents, recordDataBegun, SEND_SECONDS_MAX, type HeldMail, type MailClaim } from './claim.ts';
import { openContent, PASSING_FAILURES, type MailContent } from './mail-content.ts';
import { outgoingMail, outgoingText } from './outgoing-mail.ts';
import { recordOutcomes, type EndedAttempt, type MailOutcome } from './record-outcome.ts';

/** A claimed mail with what its attempt needs. */
interface ClaimedMail extends MailClaim {
  readonly content: MailContent | undefined;
  /** Why nothing may be sent to its recipient. */
  readonly blocked: string | undefined;
}

/**
 * Sends the mails of one call. Claims, beginnings and outcomes of mails that are sent at the same time share their
 * statements, and a content that mails share is opened once.
 */
export class DeliveryRun {
  private readonly ctx: Context;
  private readonly contents = new Map<number, MailContent>();
  private readonly claim = groupCalls((ids: readonly number[]) => this.claimAll(ids));
  private readonly begin = groupCalls((mails: readonly HeldMail[]) => recordDataBegun(this.ctx, mails));
  private readonly record = groupCalls((attempts: readonly EndedAttempt[]) => recordOutcomes(this.ctx, attempts));

  constructor(ctx: Context) {
    this.ctx = ctx;
  }

  /** Makes one attempt and records its outcome; undefined if the mail could not be claimed. */
  async deliver(id: number): Promise<MailOutcome | undefined> {
    const claim = await this.claim(id);
    if (!claim) return undefined;
    const contract = claim.type === 'Text' ? TEXT_OUTBOUND : MAIL_OUTBOUND;
    // Without a name, the present default.
    const server = claim.provider ?? this.ctx.providers.names(contract)[0];
    const outcomes = await this.attempt(claim, server);
    return this.record({
      claim,
      server,
      outcomes,
      isSuppressed: claim.blocked !== undefined,
      isShared: claim.content?.isShared === true,
    });
  }

  private async claimAll(ids: readonly number[]): Promise<readonly (ClaimedMail | undefined)[]> {
    const claims = await claimMails(this.ctx, ids);
    const claimed = claims.flatMap((claim) => claim ?? []);
    const missing = [...new Set(claimed.flatMap(({ contentId }) => contentId ?? []))].filter(
      (id) => !this.contents.has(id),
    );
    if (missing.length > 0)
      for (const [id, sealed] of await readContents(this.ctx.db, missing))
        this.contents.set(id, openContent(this.ctx.cipher, sealed));
    const contentOf = ({ contentId }: MailClaim): MailContent | undefined =>
      contentId === null ? undefined : this.contents.get(contentId);
    const blocked = await this.blockedAmong(
      claimed.map((claim) => ({ claim, isBulk: contentOf(claim)?.isBulk === true })),
    );
    return claims.map((claim) => claim && { ...claim, content: contentOf(claim), blocked: blocked.get(claim.id) });
  }

  /** Returns why mails of messages may not be sent, by id; system mail is always sent. */
  private async blockedAmong(
    mails: readonly { readonly claim: MailClaim; readonly isBulk: boolean }[],
  ): Promise<ReadonlyMap<number, string>> {
    const found = new Map<number, string>();
    const ofMessages = mails.filter(({ claim }) => claim.message !== null);
    for (const [isBulk, members] of Map.groupBy(ofMessages, (mail) => mail.isBulk)) {
      const addressOf = ({ recipients }: MailClaim): string => (recipients[0]?.Address ?? '').toLowerCase();
      const reasons = await blockedAddresses(
        this.ctx.db,
        members.map(({ claim }) => addressOf(claim)),
        { isBulk },
      );
      for (const { claim } of members) {
        const reason = reasons.get(addressOf(claim));
        if (reason !== undefined) found.set(claim.id, reason);
      }
    }
    return found;
  }

  /** Makes one attempt, outside any transaction. A failure before the transmission postpones the mail. */
  private async attempt(claim: ClaimedMail, server: string | undefined): Promise<readonly RecipientOutcome[]> {
    const onlyTo = claim.recipients.filter(({ Status }) => Status === 'Waiting').map(({ Address }) => Address);
    const all = (status: RecipientOutcome['status'], detail: string): RecipientOutcome[] =>
      onlyTo.map((address) => ({ address, status, detail: detail.slice(0, 300) }));
    const { content, blocked } = claim;
    if (blocked !== undefined) return all('refused', blocked);
    if (content === undefined) return all('refused', 'the mail itself is no longer stored');
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
        const outcome = await this.ctx.providers.get(TEXT_OUTBOUND, server).send(text, options);
        return onlyTo.map((address) => ({ address, ...outcome }));
      }
      const outbound = this.ctx.providers.get(MAIL_OUTBOUND, server);
      const mail = await outgoingMail(this.ctx, claim, content, outbound.from);
      assertMail(mail);
      // Of a valid mail only a setting can be refused, such as the networks that may be connected to. It can change.
      ifRefused = 'later';
      return await outbound.send(mail, options);
    } catch (error) {
      if (!(error instanceof PlatformError) || error.code === 'CONCURRENT_CHANGE') throw error;
      if (error.code === 'BAD_PARAMETER') return all(ifRefused, error.message);
      // A missing server can be configured; a deleted document or an invalid address cannot be fixed.
      return all(PASSING_FAILURES.has(error.code) ? 'later' : 'refused', error.message);
    }
  }
}
