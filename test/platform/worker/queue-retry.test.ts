import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { nextBatch } from '../../../src/modules/system/queueretry/lib/next-batch.ts';
import { client, type Row } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { testPlatform } from '../../support/platform.ts';
import { enqueue, failing, marksOf, probe, statusOf, until } from '../../support/worker/probe.ts';

const on = await testPlatform({ after }, { worker: true, fixture: probe });
const admin = client(on);

/** Makes calls of one word dead letters. Returns their messages. */
async function deadLetters(word: string, count: number, failures = count): Promise<string[]> {
  await failing(on, word, failures, 'STATE_REFUSES');
  const ids: string[] = [];
  for (let n = 0; n < count; n++)
    ids.push(await enqueue(on.admin, `/api/probe/queue/mark?Word=${encodeURIComponent(word)}`));
  for (const id of ids) await until(on.admin, id, 'dead');
  return ids;
}

async function causeOf(word: string): Promise<Row> {
  const rows = await admin.expectRows('queue/causes', {});
  const row = rows.find(({ ErrorMessage: text }) => text === `Failed on purpose for ${word}.`);
  assert.ok(row, `${word} is listed in ${JSON.stringify(rows)}`);
  return row;
}

const kindOf = ({ Operation, ErrorCode, Cause }: Row): Row => ({ Operation, ErrorCode, Cause });

const ended = (id: unknown, status: string): Promise<Row> =>
  eventually<Row | false>(`retry ${String(id)} is ${status}`, async () => {
    const row = await admin.select('queueretry', Number(id));
    return row['Status'] === status && row;
  });

test('WEB-06 dead letters are listed by operation and cause, with counts, dates and an example', async () => {
  const [first] = await deadLetters('gateway', 3);
  await deadLetters('mailbox', 1);
  const cause = await causeOf('gateway');
  assert.deepEqual([cause['Operation'], cause['ErrorCode'], cause['Count']], ['probe/mark', 'STATE_REFUSES', 3]);
  assert.ok(String(cause['FirstDate']) <= String(cause['LastDate']));
  assert.notEqual((await causeOf('mailbox'))['Cause'], cause['Cause']);
  const listed = await admin.expectRows('queue/search', { State: 'dead', Cause: cause['Cause'] });
  assert.equal(listed.length, 3);
  assert.ok(listed.some(({ QueueMessageID: id }) => id === first));
});

test('WEB-06 KRN-24 all dead letters of a cause are retried in the background, and the result is counted', async () => {
  await deadLetters('background', 4);
  await failing(on, 'background', 1, 'STATE_REFUSES');
  const cause = kindOf(await causeOf('background'));
  const [one, other] = await Promise.all([
    admin.expectOk('queueretry/start', cause),
    admin.expectOk('queueretry/start', cause),
  ]);
  assert.equal(one['QueueRetryID'], other['QueueRetryID'], 'two operators who press at once start one retry');
  const done = await ended(one['QueueRetryID'], 'Complete');
  assert.deepEqual([done['Total'], done['Requeued'], done['Succeeded'], done['FailedAgain']], [4, 4, 3, 1]);
  assert.equal(await marksOf(on, 'background'), 3, 'nothing ran twice');
  assert.equal((await causeOf('background'))['Count'], 1, 'what failed again is not retried by the same retry');
});

test('WEB-06 KRN-24 a retry tries 20 calls first, stops if all of them fail again, and can be stopped by hand', async () => {
  assert.equal(nextBatch({ succeeded: 0, failedAgain: 0, waiting: 0, failing: 0 }), 20);
  assert.equal(nextBatch({ succeeded: 0, failedAgain: 3, waiting: 17, failing: 0 }), 0);
  assert.equal(nextBatch({ succeeded: 0, failedAgain: 12, waiting: 0, failing: 8 }), 'stop');
  assert.equal(nextBatch({ succeeded: 1, failedAgain: 12, waiting: 7, failing: 3 }), 490);
  assert.equal(nextBatch({ succeeded: 9, failedAgain: 0, waiting: 500, failing: 8 }), 0);
  await deadLetters('still down', 22, 42);
  const row = await admin.expectOk('queueretry/start', kindOf(await causeOf('still down')));
  const stopped = await ended(row['QueueRetryID'], 'Stopped');
  assert.match(String(stopped['StopReason']), /first 20 calls failed again/);
  assert.equal((await causeOf('still down'))['Count'], 22, 'the others stay dead letters');
  assert.equal(await marksOf(on, 'still down'), 0);
  const again = await admin.expectOk('queueretry/start', kindOf(await causeOf('still down')));
  const halted = await admin.expectOk('queueretry/stop', { ID: again['QueueRetryID'] });
  assert.deepEqual([halted['Status'], halted['StopReason']], ['Stopped', 'Stopped by hand.']);
  await admin.expectRefused('queueretry/start', { Operation: 'probe/mark' }, 'MISSING_PARAMETER', 'Cause');
  await admin.expectRefused('queueretry/start', { Operation: 'probe/mark', Cause: 'none' }, 'STATE_REFUSES', 'Cause');
});

test('WEB-06 discarded dead letters become dead letters again, all that were discarded together and no others', async () => {
  const ids = await deadLetters('thrown away', 2);
  const [other] = await deadLetters('kept away', 1);
  const cause = await causeOf('thrown away');
  const discarded = await admin.expectOk('queue/discard', { Cause: cause['Cause'], Reason: 'duplicates' });
  assert.equal(discarded['Discarded'], 2);
  await admin.expectOk('queue/discard', { ID: [other], Reason: 'not needed' });
  assert.equal((await admin.expectOk('queue/restore', { DiscardID: discarded['DiscardID'] }))['Restored'], 2);
  for (const id of ids) assert.equal((await statusOf(on.admin, id))['State'], 'dead');
  assert.equal((await statusOf(on.admin, String(other)))['State'], 'discarded');
  await admin.expectRefused('queue/restore', { DiscardID: discarded['DiscardID'] }, 'STATE_REFUSES', 'DiscardID');
  await admin.expectOk('queue/requeue', { ID: ids });
  for (const id of ids) await until(on.admin, id, 'completed');
});

test('WEB-06 clerks neither see causes nor retry them', async () => {
  const { caller } = await on.user('clerk', 'Staff');
  const clerk = client(on, caller);
  await clerk.expectRefused('queue/causes', {}, 'NO_PERMISSION');
  await clerk.expectRefused('queueretry/start', { Operation: 'probe/mark', Cause: 'a' }, 'NO_PERMISSION');
});
