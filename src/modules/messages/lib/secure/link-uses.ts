import type { Db } from '../../../../kernel/database/store.ts';

/** A link, and a use of it if there is one. */
export interface LinkUseRow {
  readonly SecureLinkID: number;
  readonly MessageRecipientID: number;
  readonly Address: string | null;
  readonly ExpiryDate: string | null;
  readonly RevokedDate: string | null;
  readonly ReadDate: string | null;
  readonly What: string | null;
  readonly Detail: string | null;
  readonly PersonID: number | null;
  readonly NetworkAddress: string | null;
}

/** Most uses that are listed. */
const USES_MAX = 5_000;

/** Returns the links of a message with their uses, newest first. */
export async function usesOfLinks(db: Db, messageId: number): Promise<readonly LinkUseRow[]> {
  return db.query<LinkUseRow>(
    `select l.securelinkid as "SecureLinkID", l.messagerecipientid as "MessageRecipientID",
       l.securelink as "Address", l.expirydate as "ExpiryDate", l.revokeddate as "RevokedDate",
       r.readdate as "ReadDate", r.what as "What", r.detail as "Detail", r.personid as "PersonID",
       r.address as "NetworkAddress"
     from securelink l left join securelinkread r on r.securelinkid = l.securelinkid
     where l.messageid = $1::bigint
     order by r.readdate desc nulls last, r.securelinkreadid desc, l.securelinkid
     limit ${USES_MAX}`,
    [messageId],
  );
}
