import { list } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { notificationKinds } from '../../access/public/notification-kinds.ts';
import { ownFollows } from './lib/own-follows.ts';

const rows = {
  Object: required(f.text({ doc: "The record's type, its concrete class." })),
  ObjectID: required(f.id({ doc: 'The record.' })),
  FollowedDate: required(f.timestamp({ doc: 'Since when the caller follows it.' })),
  Unread: required(f.integer({ doc: 'Unread notifications about it.' })),
  Latest: f.text({ doc: 'What happened last, in words.' }),
  LatestDate: f.timestamp({ doc: 'When that was.' }),
  LatestID: f.id({ doc: 'The notification of it.' }),
  LatestKind: f.choice(notificationKinds, { doc: 'What it is about.' }),
};

export const operation = defineOperation({
  module: 'follow',
  name: 'Mine',
  method: 'GET',
  summary: 'Lists what the caller follows, with what happened last, the latest first. With a record: only that one.',
  effect: 'read',
  idempotent: true,
  access: 'signed-in',
  names: { object: 'Object', id: 'ObjectID' },
  params: {
    Object: f.text({ doc: 'The type of one record.', max: 60 }),
    ObjectID: f.id({ doc: 'One record.' }),
  },
  returns: 'list',
  answerName: 'FollowedRecord',
  rows,
  errors: [],
  source: 'checklist WEB-02',
});

export const run = handle(operation, (ctx, { Object, ObjectID }) =>
  ctx.inTransaction(async (own) => {
    const isOne = typeof Object === 'string' && typeof ObjectID === 'number';
    const only = isOne ? { object: own.registry.record(Object)?.name ?? Object, id: ObjectID } : undefined;
    return list('FollowedRecord', rows, await ownFollows(own, only));
  }),
);
