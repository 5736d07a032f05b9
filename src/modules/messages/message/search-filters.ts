import { arrayLiteral } from '../../../kernel/database/store.ts';
import { idOf } from '../../../kernel/database/sql.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { f } from '../../../kernel/declare/field.ts';
import type { RecordType } from '../../../kernel/declare/record.ts';
import { isA } from '../../../kernel/declare/registry.ts';
import { defineSearchFilters, type SearchFilter } from '../../../kernel/declare/search-filter.ts';
import { parameter } from '../../../kernel/parameters/parameters.ts';
import { parseValue, type RawValue } from '../../../kernel/parameters/parse-value.ts';
import type { SqlParameters } from '../../../kernel/records/search/filter.ts';
import { message } from './message.record.ts';

const yesOrNo = f.boolean({ doc: '' });
const direction = f.choice(['Received', 'Sent'], { doc: '' });
const id = f.id({ doc: '', to: 'Message' });

/** A filter of messages; of other record types it finds those that have such a message. */
interface MessageFilter {
  readonly name: string;
  readonly doc: string;
  /** Returns the SQL condition on `message`. */
  readonly condition: (ctx: Context, raw: RawValue, sql: SqlParameters) => string;
}

/** SQL: a message that came to us, by mail or as a note to the caller. Others are ours, and never unread. */
function isReceived(ctx: Context, sql: SqlParameters): string {
  return `(message.mailinboundid is not null or exists (select from messagerecipient own
    where own.messageid = message.messageid and own.personid = ${sql.add(ctx.user.personId, 'bigint')}))`;
}

const filters: readonly MessageFilter[] = [
  {
    name: 'Unread',
    doc: 'True finds received messages that the caller has not read, and records that have one; false all others.',
    condition(ctx, raw, sql) {
      const isUnread = parseValue(yesOrNo, raw, 'Unread', { timeZone: 'UTC' }) !== false;
      const person = sql.add(ctx.user.personId, 'bigint');
      const unread = `${isReceived(ctx, sql)} and not exists (select from messageread own
        where own.messageid = message.messageid and own.personid = ${person})`;
      return isUnread ? `(${unread})` : `not (${unread})`;
    },
  },
  {
    name: 'Direction',
    doc: 'Received: messages that came by mail, or as a note to the caller. Sent: messages that were sent from here.',
    condition(ctx, raw, sql) {
      const isIn = parseValue(direction, raw, 'Direction', { timeZone: 'UTC' }) === 'Received';
      return isIn ? isReceived(ctx, sql) : '(message.mailinboundid is null and message.sentdate is not null)';
    },
  },
  {
    name: 'Unfiled',
    doc: 'True finds received messages that belong to no record yet; false those that do.',
    condition(_ctx, raw) {
      const isUnfiled = parseValue(yesOrNo, raw, 'Unfiled', { timeZone: 'UTC' }) !== false;
      return isUnfiled ? "(message.status = 'Unfiled')" : "(message.status is distinct from 'Unfiled')";
    },
  },
  {
    name: 'Thread',
    doc: 'The messages of the conversation of this message.',
    condition(_ctx, raw, sql) {
      const of = sql.add(parseValue(id, raw, 'Thread', { timeZone: 'UTC' }), 'bigint');
      return `coalesce(message.threadid, message.messageid) =
        (select coalesce(named.threadid, named.messageid) from message named where named.messageid = ${of})`;
    },
  },
];

export const searchFilters = defineSearchFilters(
  filters.map(({ name, doc, condition }): SearchFilter => ({
    name,
    doc,
    condition(ctx, record, sent, { sql }) {
      const where = condition(ctx, parameter(sent.filters, sent.name) ?? null, sql);
      return record.name === message.name ? where : havingMessages(ctx, record, where, sql);
    },
  })),
);

function havingMessages({ registry }: Context, record: RecordType, where: string, sql: SqlParameters): string {
  const names = registry.records().filter((each) => isA(each, record));
  const types = sql.add(arrayLiteral(names.map((each) => each.name)), 'text[]');
  return `${idOf(record)} in (select message.objectid from message where message.object = any(${types}) and ${where})`;
}
