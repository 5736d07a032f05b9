-- Reconciliation: comparisons of payments with those of a gateway.

create table paymentreconciliation (
  paymentreconciliationid bigint generated always as identity primary key,
  paymentreconciliation varchar(255) collate casewright_text,
  status varchar(8) collate casewright_text,
  paymentreconciliationtype varchar(100) collate casewright_text,
  paymentproviderid bigint not null references paymentprovider on delete cascade,
  fromday date,
  today date,
  completeddate timestamptz,
  paymentcount integer,
  refundcount integer,
  disputecount integer,
  settledcount integer,
  differencecount integer,
  error varchar(1000) collate "C",
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1,
  check (today >= fromday)
);
create index paymentreconciliation_provider_idx on paymentreconciliation (paymentproviderid, today);
select casewright_open('paymentreconciliation', 'none');

-- What a later comparison does not find again is cleared.
alter table paymentdifference drop constraint paymentdifference_status_check;
alter table paymentdifference add constraint paymentdifference_status_check
  check (status in ('Open', 'Resolved', 'Cleared'));
