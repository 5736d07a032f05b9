/** Cards stored on the gateway's page while the server is killed, and what must be recorded of them afterwards. */
import assert from 'node:assert/strict';
import type { CardGatewayServer } from '../peers/card-gateway.ts';
import type { KillRound, KillSql } from '../processes/kill.ts';

/** The name of the saved gateway. */
export const GATEWAY = 'Cards';

/** Most methods that one call settles. */
const SETTLED_MAX = 200;
/** What customers enter on the page. */
const TOKENS = ['tok_visa', 'tok_mastercard'];

type Values = Readonly<Record<string, string | number>>;
/** Sends a call to the server, as its administrator. */
export type SendCall = (url: string, route: string, values: Values) => Promise<{ status: number; text: string }>;

/** A record whose customer stores cards. */
export interface VaultPayer {
  readonly object: number;
  readonly customer: number;
}

/** What the gateway has sent, and sends again until it is answered. */
interface GatewayEvent {
  readonly id: string;
  readonly session: string;
}

/** The pages that were opened so far. */
export class VaultWorkload {
  readonly counts = new Map<string, number>();
  private readonly events: GatewayEvent[] = [];
  private readonly payers: VaultPayer[] = [];
  private serial = 0;
  private readonly server: CardGatewayServer;
  private readonly send: SendCall;

  constructor(server: CardGatewayServer, send: SendCall) {
    this.server = server;
    this.send = send;
  }

  addPayer(payer: VaultPayer): void {
    this.payers.push(payer);
  }

  /** Opens pages, completes most, and reports each by its return, a webhook or a query, until the server is killed. */
  async run(round: KillRound): Promise<void> {
    while (!round.signal.aborted) {
      try {
        const event = this.events.pop();
        await (event ? this.deliver(round.url, event) : this.store(round));
        round.countAnswer();
      } catch (error) {
        if (error instanceof assert.AssertionError && !round.signal.aborted) throw error;
        return;
      }
    }
  }

  private async store({ url, random }: KillRound): Promise<void> {
    const payer = this.payers[Math.floor(random() * this.payers.length)];
    const of = { Object: 'Contact', ObjectID: payer?.object ?? 0, PaymentCustomerID: payer?.customer ?? 0 };
    const started = JSON.parse(await this.expect(url, 'paymentmethod/startvaulting', of)) as Values;
    const [ID, session] = [Number(started['PaymentMethodID']), String(started['URL']).split('/').at(-1) ?? ''];
    const back = new URL(String(this.server.state.read('checkout.session', session)['success_url']));
    const isCompleted = random() < 0.8;
    if (isCompleted) this.server.completePage(session, TOKENS[Math.floor(random() * TOKENS.length)] ?? '');
    const isCanceled = !isCompleted && random() < 0.5;
    const reports = [
      () =>
        this.expect(url, 'paymentmethod/finishvaulting', {
          ID,
          State: back.searchParams.get('State') ?? '',
          ...(isCanceled && { Canceled: 'true' }),
        }),
      () => this.deliver(url, { id: `evt_page_${++this.serial}`, session }),
      () => this.expect(url, 'paymentmethod/settle', { ID }),
    ];
    // All three at once, or one of them alone: the browser may be closed, and events be lost.
    const chosen = random() < 0.5 ? reports : reports.slice(Math.floor(random() * 3)).slice(0, 1);
    await Promise.all(chosen.map((report) => report()));
  }

  private async expect(url: string, route: string, values: Values): Promise<string> {
    const { status, text } = await this.send(url, route, values);
    assert.equal(status, 200, `${route}: ${status} ${text}`);
    this.count(route);
    return text;
  }

  /** Sends an event like the gateway: again in the next round if the server has not answered. */
  private async deliver(url: string, event: GatewayEvent): Promise<void> {
    const { headers, bytes } = this.server.webhook({ object: 'checkout.session', id: event.session }, { id: event.id });
    try {
      const answer = await fetch(`${url}/api/paymentprovider/event?Output=Json&PaymentProvider=${GATEWAY}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'stripe-signature': String(headers['stripe-signature']) },
        body: Buffer.from(bytes),
      });
      assert.equal(answer.status, 200, await answer.text());
      this.count('paymentprovider/event');
    } catch (error) {
      this.events.push(event);
      throw error;
    }
  }

  private count(route: string): void {
    this.counts.set(route, (this.counts.get(route) ?? 0) + 1);
  }

  /** Sends what the gateway still has to send. */
  async finish(url: string): Promise<void> {
    for (const event of this.events.splice(0)) await this.deliver(url, event);
  }

  /** Lets the pages expire and an hour pass, settles what is open, and compares it with the gateway's own list. */
  async verify(url: string, sql: KillSql): Promise<void> {
    const { state } = this.server;
    const requested = await sql<{ id: number }[]>`
      select paymentmethodid::integer as id from paymentmethod where status = 'Requested' order by 1`;
    for (const session of state.all('checkout.session'))
      if (session['status'] === 'open') state.expireSession(session.id);
    await sql`update paymentmethod set createddate = createddate - interval '2 hours' where status = 'Requested'`;
    for (let n = 0; n < requested.length; n += SETTLED_MAX) {
      const ids = requested.slice(n, n + SETTLED_MAX).map(({ id }) => id);
      await this.expect(url, 'paymentmethod/settle', { ID: ids.join(',') });
    }
    const objects = this.payers.map(({ object }) => object);
    const ours = await sql<{ key: string; status: string; method: string | null }[]>`
      select vaultkey as key, status, gatewaymethodid as method from paymentmethod
      where object = 'Contact' and objectid = any(${objects})`;
    const theirs = new Map(
      state.all('setup_intent').map(({ metadata, payment_method: method }) => {
        const [key = ''] = Object.values(metadata as Record<string, string>);
        return [key, (method as { id: string }).id];
      }),
    );
    const statusOf = (key: string, status: string): string => {
      if (!theirs.has(key)) return 'Failed';
      return status === 'Active' ? 'Active' : 'Inactive';
    };
    const expected = ours.map(({ key, status }) => ({
      key,
      status: statusOf(key, status),
      method: theirs.get(key) ?? null,
    }));
    assert.deepEqual([...ours], expected, "payment methods differ from the gateway's");
    const active = await sql<{ object: number; active: number; stored: number }[]>`
      select objectid::integer as object, count(*) filter (where status = 'Active')::integer as active,
        count(*) filter (where gatewaymethodid is not null)::integer as stored
      from paymentmethod where object = 'Contact' and objectid = any(${objects}) group by 1`;
    for (const one of active) assert.equal(one.active, Math.min(1, one.stored), `active methods of ${one.object}`);
    const pages = new Set(ours.map(({ key }) => key));
    const lost = state
      .all('checkout.session')
      .flatMap(({ setup_intent: intent }) => (intent === null ? [] : [intent as { metadata: object }]))
      .filter(({ metadata }) => !pages.has(String(Object.values(metadata)[0])));
    assert.deepEqual(lost, [], 'a card that was stored on a page is not recorded');
  }
}
