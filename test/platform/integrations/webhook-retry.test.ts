import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { fixedClock } from '../../../src/kernel/time/clock.ts';
import { holdMilliseconds, retryMilliseconds } from '../../../src/modules/integrations/webhookdelivery/lib/backoff.ts';
import {
  sweepWebhookDeliveries,
  queueOverdueWebhooks,
} from '../../../src/modules/integrations/webhookdelivery/lib/sweep.ts';
import { atEnd } from '../../support/at-end.ts';
import { certificate } from '../../support/peers/certificate.ts';
import { testPlatform } from '../../support/platform.ts';
import { startReceiver, type Receiver } from '../../support/peers/receiver.ts';
import { setSetting } from '../../support/imports/referrals.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const clock = fixedClock('2026-03-02T12:00:00.000Z');
/** No worker: tests inspect what is queued and make each run here, at the time that they set. */
const on = await testPlatform({ after }, { clock });

const setting = (name: string, value: string): Promise<void> => setSetting(on.admin, name, value);
before(async () => {
  await setting('OutboundHttpLoopback', 'true');
});

const rows = async <R extends object>(text: string, params: unknown[] = []): Promise<R[]> => [
  ...(await on.platform.store.query<R>(text, params)),
];

interface Delivery {
  readonly id: number;
  readonly status: string;
  readonly attempts: number;
  readonly nextattempt: string | null;
  readonly responsecode: number | null;
  readonly lasterror: string | null;
  readonly attemptlog: {
    At: string;
    Attempt: number;
    Status: number | null;
    Error: string | null;
    Milliseconds: number;
  }[];
}

let loans = 850_000_000;
interface Hook {
  readonly id: number;
  readonly receiver: Receiver;
  /** Makes a change that the webhook receives; returns the loan. */
  change(id?: number): Promise<number>;
  /** Makes the call that sends due deliveries. */
  run(): Promise<{ Delivered: number; Failed: number }>;
  deliveries(): Promise<Delivery[]>;
  state(): Promise<{ failures: number; helduntil: string | null; wakeat: string | null }>;
  isActive(): Promise<boolean>;
}

async function hook(t: { after(fn: () => unknown): void }, more: Record<string, unknown> = {}): Promise<Hook> {
  const receiver = await startReceiver(t);
  const made = await on.admin.post('/api/webhook/create?Output=Json', { URL: receiver.url, Events: 'Loan.*', ...more });
  assert.equal(made.status, 200, made.text);
  const id = Number(made.json()['WebhookID']);
  t.after(() => on.admin.post('/api/webhook/save', { ID: id, IsActive: false }));
  return {
    id,
    receiver,
    async change(loan) {
      const saved = await on.admin.post(
        '/api/loan/save?Output=Json',
        loan === undefined ? { Loan: String(loans++) } : { ID: loan, ServicerLoanID: `S${loans++}` },
      );
      assert.equal(saved.status, 200, saved.text);
      return Number(saved.json()['LoanID']);
    },
    async run() {
      const answer = await on.admin.post('/api/webhookdelivery/deliver?Output=Json', { WebhookID: id });
      assert.equal(answer.status, 200, answer.text);
      return answer.json() as never;
    },
    deliveries: () =>
      rows<Delivery>(
        `select webhookdeliveryid as id, status, attempts, nextattempt, responsecode, lasterror, attemptlog
         from webhookdelivery
         where webhookid = $1
         order by 1`,
        [id],
      ),
    async state() {
      const [state] = await rows<{ failures: number; helduntil: string | null; wakeat: string | null }>(
        'select failures, helduntil, wakeat from webhookstate where webhookid = $1',
        [id],
      );
      assert.ok(state);
      return state;
    },
    isActive: async () =>
      (await rows<{ isactive: boolean }>('select isactive from webhook where webhookid = $1', [id]))[0]?.isactive ===
      true,
  };
}

/** Returns when the queued calls are due. */
const queued = async (): Promise<(string | null)[]> =>
  (
    await on.platform.queue.find(on.platform.store, { operation: 'webhookdelivery/deliver', start: 0, size: 1_000 })
  ).map((m) => m.StartAfter);

describe('retries', () => {
  it('a failed delivery is retried under its ID with growing delays until it expires, and each attempt is recorded', async (t) => {
    const { receiver, change, run, deliveries } = await hook(t);
    receiver.answer = (_received, response) => void response.writeHead(503).end('down for now');
    await change();
    const waits: number[] = [];
    let attempts = 0;
    for (; attempts < 100; attempts++) {
      await run();
      const [delivery] = await deliveries();
      if (delivery?.status !== 'Waiting') break;
      const wait = Date.parse(delivery.nextattempt ?? '') - clock.milliseconds();
      assert.ok(wait > 0);
      // Not a moment earlier.
      if (attempts < 3) {
        clock.advance(wait - 1);
        assert.deepEqual(await run(), { Delivered: 0, Failed: 0 });
        clock.advance(1);
      } else clock.advance(Math.max(wait, 15 * 1.25 * MINUTE));
      waits.push(wait);
    }
    const [delivery] = await deliveries();
    assert.equal(delivery?.status, 'Failed');
    assert.equal(delivery.lasterror, 'HTTP 503');
    assert.equal(delivery.attempts, receiver.received.length);
    assert.ok(delivery.attempts >= 20 && delivery.attempts <= 40, `${delivery.attempts} attempts`);
    assert.equal(receiver.events().length, 1);
    for (const [n, wait] of waits.entries()) {
      const seconds = Math.min(5 * 2 ** n, 4 * 3_600);
      assert.ok(wait >= seconds * 750 && wait <= seconds * 1_250, `wait ${n} was ${wait} ms`);
    }
    assert.ok(delivery.attemptlog.length <= 30);
    const last = delivery.attemptlog.at(-1);
    assert.deepEqual([last?.Attempt, last?.Status, last?.Error], [delivery.attempts, 503, 'HTTP 503']);
    assert.deepEqual(
      delivery.attemptlog.map((a) => a.Attempt),
      delivery.attemptlog.map((_, i) => (delivery.attemptlog[0]?.Attempt ?? 0) + i),
    );
    const total = waits.reduce((a, b) => a + b, 0);
    assert.ok(total >= 60 * HOUR, `tried for ${total / HOUR} hours`);
  });

  it('delays double up to four hours, and up to a quarter of an hour for the whole webhook, with jitter of at most a quarter', () => {
    for (let n = 1; n < 60; n++) {
      const seconds = Math.min(5 * 2 ** (n - 1), 4 * 3_600);
      const wait = retryMilliseconds(n);
      assert.ok(wait >= seconds * 750 && wait <= seconds * 1_250, `${n}: ${wait}`);
      const hold = Math.min(5 * 2 ** (n - 5), 900);
      const held = holdMilliseconds(n);
      assert.ok(n < 5 ? held === 0 : held >= hold * 750 && held <= hold * 1_250, `${n}: ${held}`);
    }
    assert.equal(retryMilliseconds(1, 600), 600_000);
    assert.ok(retryMilliseconds(1, 1_000_000_000) <= 4 * HOUR);
    assert.ok(
      new Set(Array.from({ length: 50 }, () => retryMilliseconds(10))).size > 1,
      'deliveries that failed together are not retried together',
    );
  });

  it("a receiver's Retry-After is honored", async (t) => {
    const { receiver, change, run, deliveries } = await hook(t);
    // A date counts from the receiver's own clock.
    const date = { Date: 'Mon, 02 Mar 2026 10:00:00 GMT', 'Retry-After': 'Mon, 02 Mar 2026 10:30:00 GMT' };
    for (const [at, headers] of [{ 'Retry-After': '1800' }, date].entries()) {
      receiver.answer = (_received, response) => void response.writeHead(429, headers).end();
      await change();
      await run();
      assert.equal(Date.parse((await deliveries())[at]?.nextattempt ?? '') - clock.milliseconds(), 30 * MINUTE);
    }
  });

  it('a failing event does not hold up others, but no event overtakes an earlier one of its record', async (t) => {
    const { receiver, change, run, deliveries } = await hook(t);
    const poison = await change();
    receiver.answer = (received, response) =>
      void response.writeHead(received.json().data['RecordID'] === poison ? 400 : 204).end();
    const others = [await change(), await change(), await change()];
    for (const loan of others) for (let n = 0; n < 5; n++) await change(loan);
    const outcome = await run();
    assert.deepEqual(outcome, { Delivered: 18, Failed: 1 });
    for (const loan of others) {
      const versions = receiver.received
        .map((r) => r.json().data)
        .filter((d) => d['RecordID'] === loan)
        .map((d) => d['Version']);
      assert.deepEqual(versions, [1, 2, 3, 4, 5, 6]);
    }
    const sequences = receiver.events().map((r) => r.json().sequence);
    assert.equal(new Set(sequences).size, 19);
    assert.deepEqual(
      (await deliveries()).map((d) => d.status).sort(),
      ['Waiting', ...Array.from({ length: 18 }, () => 'Delivered')].sort(),
    );
  });

  it('after five failures sending pauses except for single attempts, and resumes when the receiver recovers', async (t) => {
    const { receiver, change, run, state, deliveries } = await hook(t);
    receiver.answer = (_received, response) => void response.writeHead(500).end();
    for (let n = 0; n < 30; n++) await change();
    await run();
    const failed = receiver.received.length;
    assert.ok(failed >= 5 && failed <= 8, `${failed} attempts before it stopped`);
    const held = (await state()).helduntil;
    assert.ok(held !== null && Date.parse(held) > clock.milliseconds());
    assert.deepEqual(await run(), { Delivered: 0, Failed: 0 });
    clock.advance(Date.parse(held) - clock.milliseconds());
    await run();
    assert.equal(receiver.received.length, failed + 1);
    receiver.answer = (_received, response) => void response.writeHead(204).end();
    clock.advance(HOUR);
    await run();
    assert.ok((await deliveries()).every((d) => d.status === 'Delivered'));
    assert.deepEqual(await state().then(({ failures, helduntil }) => ({ failures, helduntil })), {
      failures: 0,
      helduntil: null,
    });
  });

  it('a run that leaves deliveries queues exactly one next run, for when they are due', async (t) => {
    const { receiver, change, run, deliveries, state } = await hook(t);
    receiver.answer = (_received, response) => void response.writeHead(500).end();
    await change();
    const before = (await queued()).length;
    await run();
    const [delivery] = await deliveries();
    assert.equal((await state()).wakeat, delivery?.nextattempt);
    const due = await queued();
    assert.equal(due.length, before + 1);
    assert.ok(due.includes(delivery?.nextattempt ?? ''));
    await run();
    await run();
    assert.equal((await queued()).length, before + 1);
  });

  it('housekeeping finds due deliveries without a queued call, but not held or deactivated ones', async (t) => {
    const { id, receiver, change, run } = await hook(t);
    await change();
    assert.equal(await queueOverdueWebhooks.run(on.platform), 0, 'a new event has its own call');
    clock.advance(6 * MINUTE);
    assert.equal(await queueOverdueWebhooks.run(on.platform), 1);
    await rows('update webhookstate set helduntil = $2::timestamptz where webhookid = $1', [
      id,
      new Date(clock.milliseconds() + HOUR).toISOString(),
    ]);
    await rows(
      `insert into webhookstate (webhookid, helduntil)
       values ($1, $2)
       on conflict (webhookid) do update set helduntil = excluded.helduntil`,
      [id, new Date(clock.milliseconds() + HOUR).toISOString()],
    );
    assert.equal(await queueOverdueWebhooks.run(on.platform), 0);
    await rows('update webhookstate set helduntil = null where webhookid = $1', [id]);
    await run();
    assert.equal(receiver.received.length, 1);
    assert.equal(await queueOverdueWebhooks.run(on.platform), 0);
  });
});

describe('deactivation', () => {
  it('410 Gone deactivates the webhook at once, with an entry in the security log; once reactivated it sends what was waiting', async (t) => {
    const { id, receiver, change, run, deliveries, isActive } = await hook(t);
    receiver.answer = (_received, response) => void response.writeHead(410).end();
    const loan = await change();
    await change(loan);
    await run();
    assert.equal(await isActive(), false);
    assert.deepEqual(
      (await deliveries()).map((d) => [d.status, d.attempts]),
      [
        ['Failed', 1],
        ['Waiting', 0],
      ],
    );
    const [webhook] = await rows<{ status: string; disabledreason: string; disableddate: string }>(
      'select status, disabledreason, disableddate from webhook where webhookid = $1',
      [id],
    );
    assert.deepEqual(
      [webhook?.status, webhook?.disabledreason, webhook?.disableddate],
      ['Disabled', 'the receiver answered 410 Gone', clock.now()],
    );
    assert.equal(
      (await rows(`select 1 from securitylog where securitylog = 'WebhookDisabled' and objectid = $1`, [id])).length,
      1,
    );
    await change(loan);
    assert.equal((await deliveries()).length, 2, 'an inactive webhook receives nothing');
    receiver.answer = (_received, response) => void response.writeHead(204).end();
    const saved = await on.admin.post('/api/webhook/save?Output=Json', { ID: id, IsActive: true });
    assert.deepEqual([saved.json()['Status'], saved.json()['DisabledReason']], ['Active', undefined]);
    assert.deepEqual(await run(), { Delivered: 1, Failed: 0 });
  });

  it('a receiver that fails for as long as the setting allows is deactivated; one success restarts the period', async (t) => {
    await setting('WebhookDisableHours', '10');
    const { receiver, change, run, isActive } = await hook(t);
    const down = (_received: unknown, response: ServerResponse): void => void response.writeHead(502).end();
    receiver.answer = down;
    await change();
    await run();
    clock.advance(9 * HOUR);
    await run();
    assert.equal(await isActive(), true);
    receiver.answer = (_received, response) => void response.writeHead(200).end();
    clock.advance(5 * HOUR);
    await run();
    receiver.answer = down;
    await change();
    await run();
    clock.advance(9 * HOUR);
    await run();
    assert.equal(await isActive(), true);
    clock.advance(5 * HOUR);
    await run();
    assert.equal(await isActive(), false);
  });

  it('a failing ping does not count', async (t) => {
    const { id, receiver, isActive } = await hook(t);
    receiver.answer = (_received, response) => void response.writeHead(410).end();
    assert.equal((await on.admin.post('/api/webhook/test?Output=Json', { ID: id })).json()['Status'], 'Failed');
    assert.equal(await isActive(), true);
    assert.deepEqual(await rows('select 1 from webhookstate where webhookid = $1 and failures > 0', [id]), []);
  });
});

describe('hostile receivers', () => {
  it('a redirect is a failure and is not followed', async (t) => {
    const elsewhere = await startReceiver(t);
    const { receiver, change, run, deliveries } = await hook(t);
    receiver.answer = (_received, response) =>
      void response.writeHead(307, { Location: `${elsewhere.url}/taken` }).end();
    await change();
    await run();
    assert.equal((await deliveries())[0]?.lasterror, 'HTTP 307');
    assert.equal(elsewhere.received.length, 0);
  });

  it('a receiver that does not answer times out; one that answers endlessly counts by its status', async (t) => {
    const { receiver, change, run, deliveries } = await hook(t);
    receiver.answer = () => undefined;
    await setting('WebhookTimeoutSeconds', '1');
    await change();
    await run();
    await setting('WebhookTimeoutSeconds', '10');
    assert.deepEqual(
      (await deliveries()).map((d) => [d.status, d.lasterror, d.responsecode]),
      [['Waiting', 'TIMED_OUT', null]],
    );
    let written = 0;
    receiver.answer = (_received, response) => {
      response.writeHead(200);
      const more = (): void => {
        if (response.destroyed) return;
        written += 65_536;
        response.write(Buffer.alloc(65_536, 'x'), () => setImmediate(more));
      };
      more();
    };
    clock.advance(MINUTE);
    await run();
    const [delivery] = await deliveries();
    assert.deepEqual([delivery?.status, delivery?.responsecode], ['Delivered', 200]);
    assert.ok(written < 64 * 1024 * 1024);
  });

  it('a dropped connection, a response that is not HTTP, and endless headers are failures with a code', async (t) => {
    const { receiver, change, run, deliveries } = await hook(t);
    const answers: ((socket: Socket) => void)[] = [
      (socket) => void socket.destroy(),
      (socket) => void socket.end('SSH-2.0-OpenSSH_9.9\r\n'),
      (socket) => void socket.end(`HTTP/1.1 200 OK\r\n${'X-Long: '.padEnd(60_000, 'x')}\r\n\r\n`),
    ];
    for (const [n, answer] of answers.entries()) {
      receiver.answer = (_received, _response, request) => answer(request.socket);
      await change();
      await run();
      const delivery = (await deliveries())[n];
      assert.equal(delivery?.status, 'Waiting', `answer ${n}`);
      assert.match(delivery.lasterror ?? '', /^(ECONNRESET|HPE_[A-Z_]+|FAILED)$/);
    }
  });

  it('an untrusted certificate is refused, and nothing is sent', async (t) => {
    await setting('OutboundAllowedNetworks', '127.0.0.0/8');
    let requests = 0;
    const server = createServer(certificate, (_request, response) => {
      requests++;
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    atEnd(t, () => new Promise<void>((resolve) => void server.close(() => resolve())));
    const { change, run, deliveries } = await hook(t, {
      URL: `https://localhost:${(server.address() as AddressInfo).port}/`,
    });
    await change();
    await run();
    assert.equal((await deliveries())[0]?.lasterror, 'DEPTH_ZERO_SELF_SIGNED_CERT');
    assert.equal(requests, 0);
    await setting('OutboundAllowedNetworks', '');
  });

  it('a host name that resolves to an internal address is refused when sending, whatever it was when saved', async (t) => {
    const { change, run, deliveries } = await hook(t, { URL: 'https://localhost:9/' });
    await change();
    await run();
    assert.equal((await deliveries())[0]?.lasterror, 'ADDRESS_REFUSED');
  });
});

describe('retention of deliveries', () => {
  it('expired deliveries are deleted, except those still being retried or replayed', async (t) => {
    const { receiver, change, run, deliveries } = await hook(t);
    await change();
    await run();
    await change();
    const [first] = await deliveries();
    clock.advance(29 * 24 * HOUR);
    await sweepWebhookDeliveries.run(on.platform);
    assert.equal((await deliveries()).length, 2);
    clock.advance(2 * 24 * HOUR);
    assert.equal((await on.admin.post('/api/webhookdelivery/replay', { ID: [first?.id] })).status, 200);
    clock.advance(MINUTE);
    receiver.answer = (_received, response) => void response.writeHead(500).end();
    await run();
    await sweepWebhookDeliveries.run(on.platform);
    assert.deepEqual(
      (await deliveries()).map((d) => d.id),
      [first?.id],
    );
    clock.advance(80 * HOUR);
    await sweepWebhookDeliveries.run(on.platform);
    assert.deepEqual(await deliveries(), []);
  });
});
