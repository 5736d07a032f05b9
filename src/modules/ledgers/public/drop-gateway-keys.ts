import type { Db } from '../../../kernel/database/store.ts';

/**
 * Removes the keys of all payment gateways, so that a copy of a store cannot charge or refund the original's cards.
 * Test gateways have none and keep working. Runs in the given transaction; nobody is signed in.
 */
export async function dropGatewayKeys(db: Db): Promise<void> {
  await db.query(
    `update paymentprovider
     set apikey = null, webhooksecret = null, secrets = null, updateddate = now(), version = version + 1
     where apikey is not null or webhooksecret is not null or secrets is not null`,
  );
}
