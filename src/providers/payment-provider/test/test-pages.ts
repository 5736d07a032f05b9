/** The page of a test gateway on which its customers store cards. The console shows it. */
import type { Declined, GatewayVaulting, VaultedMethod, VaultingRequest } from '../../../contracts/payment-provider.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import type { Db } from '../../../kernel/database/store.ts';
import { methodOf, type TestObject } from './test-objects.ts';
import type { TestGatewayStore } from './test-store.ts';
import { behaviorOf } from './test-tokens.ts';

/** The address of the page in the console. */
const PAGE_PATH = '/payments/test-gateway/';

/** Starts a page, once for a key. */
export async function startPage(
  store: TestGatewayStore,
  customer: string,
  { key, returnUrl, cancelUrl, expires }: VaultingRequest,
): Promise<{ readonly reference: string; readonly url: string }> {
  const { answer } = await store.once(key, ['vaulting', customer, returnUrl], async (db) => {
    await store.lock(db, 'customer', customer);
    return store.add(db, { kind: 'vaulting', parent: customer, key, state: { returnUrl, cancelUrl, expires } });
  });
  return { reference: answer.id, url: pageUrl(answer) };
}

/** Returns what became of a page. */
export async function readPage(store: TestGatewayStore, reference: string): Promise<GatewayVaulting> {
  return statusOf(store, store.db, await store.read(store.db, 'vaulting', reference));
}

/** Ends a page, unless a method was stored. */
export function cancelPage(store: TestGatewayStore, reference: string): Promise<GatewayVaulting> {
  return store.transaction(async (db) => {
    const page = await store.lock(db, 'vaulting', reference);
    const now = await statusOf(store, db, page);
    if (now.status !== 'open') return now;
    await store.update(db, page, { ...page.state, isCanceled: true });
    return { status: 'ended' };
  });
}

/** Stores the method of a token, as the customer does on the page, or cancels it. Returns where the customer goes. */
export async function completePage(
  store: TestGatewayStore,
  reference: string,
  token: string | undefined,
): Promise<{ readonly url: string } | Declined> {
  if (token === undefined) return { url: (await store.read(store.db, 'vaulting', reference)).state.cancelUrl };
  const { vaultDecline } = behaviorOf(token);
  return store.transaction(async (db) => {
    const page = await store.lock(db, 'vaulting', reference);
    const { status } = await statusOf(store, db, page);
    if (status === 'stored') return { url: page.state.returnUrl };
    if (status === 'ended')
      throw new PlatformError('STATE_REFUSES', {
        field: 'Reference',
        message: 'This page of the gateway has expired.',
      });
    if (vaultDecline) return { declined: vaultDecline };
    await store.add(db, {
      kind: 'method',
      parent: page.parent ?? undefined,
      key: page.key ?? undefined,
      state: { token },
    });
    return { url: page.state.returnUrl };
  });
}

/** Returns the method that a request or page with a key has stored for a customer. */
export async function findMethod(
  store: TestGatewayStore,
  { key, customer }: { readonly key: string; readonly customer: string },
): Promise<VaultedMethod | undefined> {
  const found = await store.findByKey('method', key);
  return found?.parent === customer ? methodOf(found, behaviorOf(found.state.token).method) : undefined;
}

async function statusOf(store: TestGatewayStore, db: Db, page: TestObject<'vaulting'>): Promise<GatewayVaulting> {
  const [made] = (await store.children(db, 'method', page.parent ?? '')).filter(({ key }) => key === page.key);
  if (made) return { status: 'stored', method: methodOf(made, behaviorOf(made.state.token).method) };
  const { isCanceled = false, expires } = page.state;
  if (isCanceled || expires <= store.clock.now()) return { status: 'ended' };
  return { status: 'open', url: pageUrl(page) };
}

/** The page is one of the installation to which the customer returns. */
function pageUrl({ id, state }: TestObject<'vaulting'>): string {
  return new URL(`${PAGE_PATH}${id}`, state.returnUrl).href;
}
