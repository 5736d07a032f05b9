import { leaseSql } from '../../../../kernel/database/lease.ts';

/**
 * Leases of mails. A mail is sent at most once: from the moment at which transmission begins (`databegun`), an expired
 * lease means that the mail may have been sent, and it is recorded as lost instead of being claimed again.
 */
export const mailLease = leaseSql({
  token: { column: 'attempts', type: 'integer' },
  state: { column: 'status', leased: 'Sending' },
});
