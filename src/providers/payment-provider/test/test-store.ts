import { createHash, randomUUID } from 'node:crypto';
import type { Db, Store } from '../../../kernel/database/store.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import type { Clock } from '../../../kernel/time/clock.ts';
import type { TestKind, TestObject, TestStates } from './test-objects.ts';

/** Objects on one page of a list. */
const PAGE_OBJECTS = 100;

const OBJECT = 'id, kind, parentid as parent, requestkey as key, createddate as created, state';
const ACTOR = { personId: null, firm: null, callId: 'test gateway' };

/** What an object is created from. */
export interface NewObject<K extends TestKind> {
  readonly kind: K;
  readonly parent?: string | undefined;
  readonly key?: string | undefined;
  readonly created?: string;
  readonly state: TestStates[K];
}

/** The outcome of a request under a key. */
export interface Answer<T> {
  readonly answer: T;
  /** Whether this call carried it out, and not an earlier one. */
  readonly isNew: boolean;
}

/**
 * What one test gateway stores. Each request commits by itself, so that it survives whatever happens to the caller, as
 * with a gateway elsewhere; and all processes of an installation see the same payments.
 */
export class TestGatewayStore {
  private readonly store: Store;
  readonly clock: Clock;
  private readonly gateway: number;

  constructor(store: Store, clock: Clock, gateway: number) {
    this.store = store;
    this.clock = clock;
    this.gateway = gateway;
  }

  /** Connections outside a transaction. */
  get db(): Db {
    return this.store;
  }

  /**
   * Carries out a request once. Another one with its key waits for it and gets the same answer; what is thrown is not
   * remembered. @throws IDEMPOTENCY_MISMATCH for a key of a different request
   */
  once<T extends object>(key: string, request: unknown, run: (db: Db) => Promise<T>): Promise<Answer<T>> {
    const hash = createHash('sha256').update(JSON.stringify(request)).digest('hex');
    return this.transaction(async (db) => {
      const made = await db.query(
        `insert into testgatewayrequest (paymentproviderid, requestkey, requesthash, createddate)
         values ($1::bigint, $2::text, $3::text, $4::timestamptz)
         on conflict do nothing
         returning 1`,
        [this.gateway, key, hash, this.clock.now()],
      );
      if (made.length === 0) return { answer: await this.formerAnswer<T>(db, key, hash), isNew: false };
      const answer = await run(db);
      await db.query(
        `update testgatewayrequest set answer = $3::text::jsonb
         where paymentproviderid = $1::bigint and requestkey = $2::text`,
        [this.gateway, key, JSON.stringify(answer)],
      );
      return { answer, isNew: true };
    });
  }

  transaction<T>(run: (db: Db) => Promise<T>): Promise<T> {
    return this.store.transaction(ACTOR, run);
  }

  async add<K extends TestKind>(db: Db, object: NewObject<K>): Promise<TestObject<K>> {
    const { kind, parent = null, key = null, created = this.clock.now(), state } = object;
    const id = `test-${kind}-${randomUUID().replaceAll('-', '')}`;
    await db.query(
      `insert into testgatewayobject (paymentproviderid, id, kind, parentid, requestkey, createddate, state)
       values ($1::bigint, $2::text, $3::text, $4::text, $5::text, $6::timestamptz, $7::text::jsonb)`,
      [this.gateway, id, kind, parent, key, created, JSON.stringify(state)],
    );
    return { id, kind, parent, key, created, state };
  }

  /** Returns an object. @throws NOT_FOUND naming the field in which its ID was sent */
  async read<K extends TestKind>(db: Db, kind: K, id: string): Promise<TestObject<K>> {
    const [found] = await db.query<TestObject<K>>(
      `select ${OBJECT} from testgatewayobject
       where paymentproviderid = $1::bigint and id = $2::text and kind = $3::text`,
      [this.gateway, id, kind],
    );
    return found ?? notFound(kind);
  }

  /** Returns an object and locks it until the transaction ends. @throws NOT_FOUND */
  async lock<K extends TestKind>(db: Db, kind: K, id: string): Promise<TestObject<K>> {
    const [found] = await db.query<TestObject<K>>(
      `select ${OBJECT} from testgatewayobject
       where paymentproviderid = $1::bigint and id = $2::text and kind = $3::text for update`,
      [this.gateway, id, kind],
    );
    return found ?? notFound(kind);
  }

  async update<K extends TestKind>(
    db: Db,
    { id, parent }: Pick<TestObject<K>, 'id' | 'parent'>,
    state: TestStates[K],
  ): Promise<void> {
    await db.query(
      `update testgatewayobject set parentid = $3::text, state = $4::text::jsonb
       where paymentproviderid = $1::bigint and id = $2::text`,
      [this.gateway, id, parent, JSON.stringify(state)],
    );
  }

  async remove(db: Db, kind: TestKind, id: string): Promise<void> {
    await db.query(
      'delete from testgatewayobject where paymentproviderid = $1::bigint and id = $2::text and kind = $3::text',
      [this.gateway, id, kind],
    );
  }

  /** Returns the object that a request with a key created. */
  async findByKey<K extends TestKind>(kind: K, key: string): Promise<TestObject<K> | undefined> {
    const [found] = await this.db.query<TestObject<K>>(
      `select ${OBJECT} from testgatewayobject
       where paymentproviderid = $1::bigint and requestkey = $2::text and kind = $3::text`,
      [this.gateway, key, kind],
    );
    return found;
  }

  /** Returns the objects of a parent, oldest first. */
  children<K extends TestKind>(db: Db, kind: K, parent: string): Promise<TestObject<K>[]> {
    return db.query<TestObject<K>>(
      `select ${OBJECT} from testgatewayobject
       where paymentproviderid = $1::bigint and parentid = $2::text and kind = $3::text
       order by createddate, id`,
      [this.gateway, parent, kind],
    );
  }

  /** Returns one page of the objects that were created in a period, oldest first, after that of an ID. */
  async page<K extends TestKind>(
    kind: K,
    { from, to }: { readonly from: number; readonly to: number },
    after: string | undefined,
  ): Promise<{ readonly items: readonly TestObject<K>[]; readonly next?: string }> {
    const items = await this.db.query<TestObject<K>>(
      `select ${OBJECT} from testgatewayobject
       where paymentproviderid = $1::bigint and kind = $2::text
         and createddate >= $3::timestamptz and createddate < $4::timestamptz
         and ($5::text is null or (createddate, id) >
           (select a.createddate, a.id from testgatewayobject a
            where a.paymentproviderid = $1::bigint and a.id = $5::text))
       order by createddate, id
       limit ${PAGE_OBJECTS}`,
      [this.gateway, kind, new Date(from).toISOString(), new Date(to).toISOString(), after ?? null],
    );
    const last = items.length === PAGE_OBJECTS ? items.at(-1) : undefined;
    return { items, ...(last ? { next: last.id } : {}) };
  }

  /** Returns and locks the subscriptions that are to charge by now. */
  dueSubscriptions(db: Db): Promise<TestObject<'subscription'>[]> {
    return db.query<TestObject<'subscription'>>(
      `select ${OBJECT} from testgatewayobject
       where paymentproviderid = $1::bigint and kind = 'subscription' and state ->> 'status' <> 'canceled'
         and (state ->> 'next') collate "C" <= $2::text
       order by id
       for update`,
      [this.gateway, this.clock.now()],
    );
  }

  private async formerAnswer<T>(db: Db, key: string, hash: string): Promise<T> {
    const [row] = await db.query<{ hash: string; answer: T }>(
      `select requesthash as hash, answer from testgatewayrequest
       where paymentproviderid = $1::bigint and requestkey = $2::text`,
      [this.gateway, key],
    );
    if (row?.hash !== hash)
      throw new PlatformError('IDEMPOTENCY_MISMATCH', {
        field: 'Key',
        message: 'The gateway already has a different request with this key.',
      });
    return row.answer;
  }
}

function notFound(kind: TestKind): never {
  const field = `${kind.charAt(0).toUpperCase()}${kind.slice(1)}`;
  throw new PlatformError('NOT_FOUND', { field, message: `The gateway has no ${kind} with this ID.` });
}
