import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { MAIL_INBOUND } from '../../../src/contracts/mail-inbound.ts';
import { PlatformError } from '../../../src/kernel/door/errors.ts';
import { startMailboxWatch } from '../../../src/modules/messages/lib/receiving/watch-mailboxes.ts';
import { client, type Row } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { sampleMail } from '../../support/messages/sample-mail.ts';
import { testMailbox } from '../../support/messages/test-mailbox.ts';
import { testPlatform } from '../../support/platform.ts';

const p = await testPlatform({ after });
const api = client(p);
const times = { scan: 20, poll: 60_000, pace: 1, retry: 5, lease: 600 };
const messages = async (subject: string): Promise<Row[]> =>
  p.platform.store.query<Row>('select messageid, createdpersonid from message where message = $1::text', [subject]);
const state = async (id: number): Promise<unknown> => (await api.select('mailinbound', id))['State'];

describe('watching mailboxes', () => {
  it('MSG-05 mail is received as soon as the server reports it, by one of several processes, and a stop ends all', async (t) => {
    const box = await testMailbox(p, 'Watched');
    let looking = 0;
    let lookingMax = 0;
    const look = box.receiver.look.bind(box.receiver);
    box.receiver.look = async function* (filters) {
      lookingMax = Math.max(lookingMax, ++looking);
      yield* look(filters);
      looking--;
    };
    const watches = Array.from({ length: 3 }, () => startMailboxWatch(p.platform, times));
    t.after(() => Promise.all(watches.map((watch) => watch.stop())));
    await eventually('it waits for mail', async () => (await state(box.id)) === 'Watching');
    for (const subject of ['First of the watch', 'Second of the watch']) {
      box.receiver.add(sampleMail({ subject }));
      await eventually('the mail is received', async () => (await messages(subject)).length === 1);
    }
    await Promise.all(watches.map((watch) => watch.stop()));
    assert.equal(lookingMax, 1);
    assert.equal(await state(box.id), 'Idle');
    box.receiver.add(sampleMail({ subject: 'After the stop' }));
    assert.equal((await messages('After the stop')).length, 0);
  });

  it('MSG-05 a process that dies is replaced, a failing server is tried again, and a mailbox may be switched off', async (t) => {
    const box = await testMailbox(p, 'Taken over');
    // The lease of a process that was killed.
    await p.platform.store.query(
      `insert into mailboxlease (mailinboundid, leaseid, leaseduntil)
       values ($1::bigint, gen_random_uuid(), now() + interval '300 ms')`,
      [box.id],
    );
    box.receiver.failure = new PlatformError('UNAVAILABLE', { message: 'No route.' });
    box.receiver.add(sampleMail({ subject: 'Taken over' }));
    const watch = startMailboxWatch(p.platform, times);
    t.after(() => watch.stop());
    await eventually('the failure is shown', async () => (await state(box.id)) === 'Failed');
    box.receiver.failure = undefined;
    await eventually('the mail is received', async () => (await messages('Taken over')).length === 1);
    await eventually('it waits for mail', async () => (await state(box.id)) === 'Watching');
    await api.save('mailinbound', { ID: box.id, Active: false });
    await eventually('nobody watches it', async () => (await state(box.id)) === 'Idle');
  });

  it('MSG-05 a changed mailbox is watched anew at once, under its new name', async (t) => {
    const box = await testMailbox(p, 'Before');
    box.receiver.failure = new PlatformError('STATE_REFUSES', { field: 'Password', message: 'The sign-in failed.' });
    const watch = startMailboxWatch(p.platform, { ...times, retry: 60_000 });
    t.after(() => watch.stop());
    await eventually('the failure is shown', async () => (await state(box.id)) === 'SignInNeeded');
    box.receiver.failure = undefined;
    p.platform.providers.register(MAIL_INBOUND, 'After', box.receiver);
    await api.save('mailinbound', { ID: box.id, MailInbound: 'After' });
    box.receiver.add(sampleMail({ subject: 'After the change' }));
    await eventually('the mail is received', async () => (await messages('After the change')).length === 1);
    await eventually('it waits for mail', async () => (await state(box.id)) === 'Watching');
  });
});
