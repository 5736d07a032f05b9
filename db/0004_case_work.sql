-- What is done and kept on cases: tasks, holds, messages, ledgers, with their templates; and the indexes and counters of all of these.

create table importformtemplate (
  importformtemplateid bigint generated always as identity primary key,
  importformtemplate varchar(100) collate casewright_text,
  status varchar(100) collate casewright_text,
  importformtemplatetype varchar(100) collate casewright_text,
  appliesto varchar(60) collate casewright_text,
  repeatable varchar(9) collate casewright_text,
  extranetenabled varchar(6) collate casewright_text,
  description varchar(10000) collate casewright_text,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1
);
create trigger importformtemplate_history after update or delete on importformtemplate for each row execute function casewright_history();
select casewright_open('importformtemplate', 'configuration');
create view report.importformtemplate with (security_invoker = true) as select importformtemplate.importformtemplateid, importformtemplate.importformtemplate, importformtemplate.status, importformtemplate.importformtemplatetype, importformtemplate.appliesto, importformtemplate.repeatable, importformtemplate.extranetenabled, importformtemplate.description, importformtemplate.createddate, importformtemplate.createdpersonid, importformtemplate.updateddate, importformtemplate.updatedpersonid, importformtemplate.version from importformtemplate;
select casewright_report('importformtemplate', 'importformtemplateid, importformtemplate, status, importformtemplatetype, appliesto, repeatable, extranetenabled, description, createddate, createdpersonid, updateddate, updatedpersonid, version');

create table importform (
  importformid bigint generated always as identity primary key,
  importform varchar(255) collate casewright_text,
  status varchar(100) collate casewright_text,
  importformtype varchar(100) collate casewright_text,
  object varchar(60) collate "C",
  objectid bigint,
  importformtemplateid bigint references importformtemplate,
  estimatedstart timestamptz,
  estimatedcompletion timestamptz,
  projectedstart timestamptz,
  projectedcompletion timestamptz,
  actualstart timestamptz,
  actualcompletion timestamptz,
  canceleddate timestamptz,
  xmldata text,
  assignedcollectionid bigint,
  assignedpersonid bigint references person,
  decisionstepid bigint,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1,
  reachorganizationid bigint
);
create index importform_importformtemplateid_idx on importform (importformtemplateid);
create index importform_assignedcollectionid_idx on importform (assignedcollectionid);
create index importform_assignedpersonid_idx on importform (assignedpersonid);
create index importform_decisionstepid_idx on importform (decisionstepid);
create index importform_object_idx on importform (objectid, object);
create index importform_reach_idx on importform (reachorganizationid, createddate);
create trigger importform_history after update or delete on importform for each row execute function casewright_history();
select casewright_open('importform', 'one');
create view report.importform with (security_invoker = true) as select importform.importformid, importform.importform, importform.status, importform.importformtype, importform.object, importform.objectid, importform.importformtemplateid, importform.estimatedstart, importform.estimatedcompletion, importform.projectedstart, importform.projectedcompletion, importform.actualstart, importform.actualcompletion, importform.canceleddate, importform.xmldata, importform.assignedcollectionid, importform.assignedpersonid, importform.decisionstepid, importform.createddate, importform.createdpersonid, importform.updateddate, importform.updatedpersonid, importform.version from importform;
select casewright_report('importform', 'importformid, importform, status, importformtype, object, objectid, importformtemplateid, estimatedstart, estimatedcompletion, projectedstart, projectedcompletion, actualstart, actualcompletion, canceleddate, xmldata, assignedcollectionid, assignedpersonid, decisionstepid, createddate, createdpersonid, updateddate, updatedpersonid, version');

create table decisiondelaytemplate (
  decisiondelaytemplateid bigint generated always as identity primary key,
  decisiondelaytemplate varchar(100) collate casewright_text,
  status varchar(100) collate casewright_text,
  decisiondelaytemplatetype varchar(100) collate casewright_text,
  appliesto varchar(60) collate casewright_text,
  repeatable varchar(9) collate casewright_text,
  extranetenabled varchar(6) collate casewright_text,
  description varchar(10000) collate casewright_text,
  onstartparentstatus varchar(100) collate casewright_text,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1
);
create trigger decisiondelaytemplate_history after update or delete on decisiondelaytemplate for each row execute function casewright_history();
select casewright_open('decisiondelaytemplate', 'configuration');
create view report.decisiondelaytemplate with (security_invoker = true) as select decisiondelaytemplate.decisiondelaytemplateid, decisiondelaytemplate.decisiondelaytemplate, decisiondelaytemplate.status, decisiondelaytemplate.decisiondelaytemplatetype, decisiondelaytemplate.appliesto, decisiondelaytemplate.repeatable, decisiondelaytemplate.extranetenabled, decisiondelaytemplate.description, decisiondelaytemplate.onstartparentstatus, decisiondelaytemplate.createddate, decisiondelaytemplate.createdpersonid, decisiondelaytemplate.updateddate, decisiondelaytemplate.updatedpersonid, decisiondelaytemplate.version from decisiondelaytemplate;
select casewright_report('decisiondelaytemplate', 'decisiondelaytemplateid, decisiondelaytemplate, status, decisiondelaytemplatetype, appliesto, repeatable, extranetenabled, description, onstartparentstatus, createddate, createdpersonid, updateddate, updatedpersonid, version');

create table decisiondelay (
  decisiondelayid bigint generated always as identity primary key,
  decisiondelay varchar(255) collate casewright_text,
  status varchar(100) collate casewright_text,
  decisiondelaytype varchar(100) collate casewright_text,
  object varchar(60) collate "C",
  objectid bigint,
  decisiondelaytemplateid bigint references decisiondelaytemplate,
  decisionid bigint,
  reasondetail text collate casewright_text,
  actualstart timestamptz,
  projectedcompletion timestamptz,
  actualcompletion timestamptz,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1,
  reachorganizationid bigint
);
create index decisiondelay_decisiondelaytemplateid_idx on decisiondelay (decisiondelaytemplateid);
create index decisiondelay_decisionid_idx on decisiondelay (decisionid);
create index decisiondelay_object_idx on decisiondelay (objectid, object);
create index decisiondelay_reach_idx on decisiondelay (reachorganizationid, createddate);
create trigger decisiondelay_history after update or delete on decisiondelay for each row execute function casewright_history();
select casewright_open('decisiondelay', 'one');
create view report.decisiondelay with (security_invoker = true) as select decisiondelay.decisiondelayid, decisiondelay.decisiondelay, decisiondelay.status, decisiondelay.decisiondelaytype, decisiondelay.object, decisiondelay.objectid, decisiondelay.decisiondelaytemplateid, decisiondelay.decisionid, decisiondelay.reasondetail, decisiondelay.actualstart, decisiondelay.projectedcompletion, decisiondelay.actualcompletion, decisiondelay.createddate, decisiondelay.createdpersonid, decisiondelay.updateddate, decisiondelay.updatedpersonid, decisiondelay.version from decisiondelay;
select casewright_report('decisiondelay', 'decisiondelayid, decisiondelay, status, decisiondelaytype, object, objectid, decisiondelaytemplateid, decisionid, reasondetail, actualstart, projectedcompletion, actualcompletion, createddate, createdpersonid, updateddate, updatedpersonid, version');

create table messagetemplate (
  messagetemplateid bigint generated always as identity primary key,
  messagetemplate varchar(100) collate casewright_text,
  status varchar(100) collate casewright_text,
  messagetemplatetype varchar(100) collate casewright_text,
  appliesto varchar(60) collate casewright_text,
  repeatable varchar(9) collate casewright_text,
  extranetenabled varchar(6) collate casewright_text,
  description varchar(10000) collate casewright_text,
  subject varchar(1000) collate casewright_text,
  bodyhtml text collate casewright_text,
  bodytext text collate casewright_text,
  bodyxsltid bigint references attachment,
  method varchar(2000) collate "C",
  fromaddress varchar(255) collate casewright_text,
  fromname varchar(255) collate casewright_text,
  tocontactid bigint references contact,
  tocollectionid bigint,
  cccontactid bigint references contact,
  cccollectionid bigint,
  bcccontactid bigint references contact,
  bcccollectionid bigint,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1
);
create index messagetemplate_bodyxsltid_idx on messagetemplate (bodyxsltid);
create index messagetemplate_tocontactid_idx on messagetemplate (tocontactid);
create index messagetemplate_tocollectionid_idx on messagetemplate (tocollectionid);
create index messagetemplate_cccontactid_idx on messagetemplate (cccontactid);
create index messagetemplate_cccollectionid_idx on messagetemplate (cccollectionid);
create index messagetemplate_bcccontactid_idx on messagetemplate (bcccontactid);
create index messagetemplate_bcccollectionid_idx on messagetemplate (bcccollectionid);
create trigger messagetemplate_history after update or delete on messagetemplate for each row execute function casewright_history();
select casewright_open('messagetemplate', 'configuration');
create view report.messagetemplate with (security_invoker = true) as select messagetemplate.messagetemplateid, messagetemplate.messagetemplate, messagetemplate.status, messagetemplate.messagetemplatetype, messagetemplate.appliesto, messagetemplate.repeatable, messagetemplate.extranetenabled, messagetemplate.description, messagetemplate.subject, messagetemplate.bodyhtml, messagetemplate.bodytext, messagetemplate.bodyxsltid, messagetemplate.method, messagetemplate.fromaddress, messagetemplate.fromname, messagetemplate.tocontactid, messagetemplate.tocollectionid, messagetemplate.cccontactid, messagetemplate.cccollectionid, messagetemplate.bcccontactid, messagetemplate.bcccollectionid, messagetemplate.createddate, messagetemplate.createdpersonid, messagetemplate.updateddate, messagetemplate.updatedpersonid, messagetemplate.version from messagetemplate;
select casewright_report('messagetemplate', 'messagetemplateid, messagetemplate, status, messagetemplatetype, appliesto, repeatable, extranetenabled, description, subject, bodyhtml, bodytext, bodyxsltid, method, fromaddress, fromname, tocontactid, tocollectionid, cccontactid, cccollectionid, bcccontactid, bcccollectionid, createddate, createdpersonid, updateddate, updatedpersonid, version');

create table message (
  messageid bigint generated always as identity primary key,
  message varchar(1000) collate casewright_text,
  status varchar(100) collate casewright_text,
  messagetype varchar(100) collate casewright_text,
  object varchar(60) collate "C",
  objectid bigint,
  messagetemplateid bigint references messagetemplate,
  bodytext text collate casewright_text,
  bodyhtml text collate casewright_text,
  fromaddress varchar(255) collate casewright_text,
  fromname varchar(255) collate casewright_text,
  parentmessageid bigint references message,
  priority integer,
  securedelivery boolean,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1,
  reachorganizationid bigint
);
create index message_messagetemplateid_idx on message (messagetemplateid);
create index message_parentmessageid_idx on message (parentmessageid);
create index message_object_idx on message (objectid, object);
create index message_reach_idx on message (reachorganizationid, createddate);
create trigger message_history after update or delete on message for each row execute function casewright_history();
select casewright_open('message', 'one');
create view report.message with (security_invoker = true) as select message.messageid, message.message, message.status, message.messagetype, message.object, message.objectid, message.messagetemplateid, message.bodytext, message.bodyhtml, message.fromaddress, message.fromname, message.parentmessageid, message.priority, message.securedelivery, message.createddate, message.createdpersonid, message.updateddate, message.updatedpersonid, message.version, message.message as subject, message.createddate as dateadded from message;
select casewright_report('message', 'messageid, message, status, messagetype, object, objectid, messagetemplateid, bodytext, bodyhtml, fromaddress, fromname, parentmessageid, priority, securedelivery, createddate, createdpersonid, updateddate, updatedpersonid, version');

create table ledgertemplate (
  ledgertemplateid bigint generated always as identity primary key,
  ledgertemplate varchar(100) collate casewright_text,
  status varchar(100) collate casewright_text,
  ledgertemplatetype varchar(100) collate casewright_text,
  appliesto varchar(60) collate casewright_text,
  repeatable varchar(9) collate casewright_text,
  extranetenabled varchar(6) collate casewright_text,
  description varchar(10000) collate casewright_text,
  refreshoninsert boolean,
  calculatemethod varchar(2000) collate "C",
  projectmethod varchar(2000) collate "C",
  invoicetemplateid bigint references attachmenttemplate,
  invoicematrixid bigint,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1
);
create index ledgertemplate_invoicetemplateid_idx on ledgertemplate (invoicetemplateid);
create index ledgertemplate_invoicematrixid_idx on ledgertemplate (invoicematrixid);
create trigger ledgertemplate_history after update or delete on ledgertemplate for each row execute function casewright_history();
select casewright_open('ledgertemplate', 'configuration');
create view report.ledgertemplate with (security_invoker = true) as select ledgertemplate.ledgertemplateid, ledgertemplate.ledgertemplate, ledgertemplate.status, ledgertemplate.ledgertemplatetype, ledgertemplate.appliesto, ledgertemplate.repeatable, ledgertemplate.extranetenabled, ledgertemplate.description, ledgertemplate.refreshoninsert, ledgertemplate.calculatemethod, ledgertemplate.projectmethod, ledgertemplate.invoicetemplateid, ledgertemplate.invoicematrixid, ledgertemplate.createddate, ledgertemplate.createdpersonid, ledgertemplate.updateddate, ledgertemplate.updatedpersonid, ledgertemplate.version from ledgertemplate;
select casewright_report('ledgertemplate', 'ledgertemplateid, ledgertemplate, status, ledgertemplatetype, appliesto, repeatable, extranetenabled, description, refreshoninsert, calculatemethod, projectmethod, invoicetemplateid, invoicematrixid, createddate, createdpersonid, updateddate, updatedpersonid, version');

create table ledgertemplateitem (
  ledgertemplateitemid bigint generated always as identity primary key,
  ledgertemplateitem varchar(100) collate casewright_text,
  status varchar(100) collate casewright_text,
  ledgertemplateitemtype varchar(100) collate casewright_text,
  ledgertemplateid bigint not null references ledgertemplate,
  childledgertemplateid bigint references ledgertemplate,
  sequence integer,
  amountmoney numeric(19,4),
  units varchar(100) collate casewright_text,
  unitcount numeric,
  rate numeric,
  isdebit boolean,
  istotaled boolean,
  canexclude boolean,
  canrefresh boolean,
  manualinsert integer,
  matrixid bigint,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1
);
create index ledgertemplateitem_ledgertemplateid_idx on ledgertemplateitem (ledgertemplateid);
create index ledgertemplateitem_childledgertemplateid_idx on ledgertemplateitem (childledgertemplateid);
create index ledgertemplateitem_matrixid_idx on ledgertemplateitem (matrixid);
create trigger ledgertemplateitem_history after update or delete on ledgertemplateitem for each row execute function casewright_history();
select casewright_open('ledgertemplateitem', 'configuration');
create view report.ledgertemplateitem with (security_invoker = true) as select ledgertemplateitem.ledgertemplateitemid, ledgertemplateitem.ledgertemplateitem, ledgertemplateitem.status, ledgertemplateitem.ledgertemplateitemtype, ledgertemplateitem.ledgertemplateid, ledgertemplateitem.childledgertemplateid, ledgertemplateitem.sequence, ledgertemplateitem.amountmoney, ledgertemplateitem.units, ledgertemplateitem.unitcount, ledgertemplateitem.rate, ledgertemplateitem.isdebit, ledgertemplateitem.istotaled, ledgertemplateitem.canexclude, ledgertemplateitem.canrefresh, ledgertemplateitem.manualinsert, ledgertemplateitem.matrixid, ledgertemplateitem.createddate, ledgertemplateitem.createdpersonid, ledgertemplateitem.updateddate, ledgertemplateitem.updatedpersonid, ledgertemplateitem.version from ledgertemplateitem;
select casewright_report('ledgertemplateitem', 'ledgertemplateitemid, ledgertemplateitem, status, ledgertemplateitemtype, ledgertemplateid, childledgertemplateid, sequence, amountmoney, units, unitcount, rate, isdebit, istotaled, canexclude, canrefresh, manualinsert, matrixid, createddate, createdpersonid, updateddate, updatedpersonid, version');

create table ledger (
  ledgerid bigint generated always as identity primary key,
  ledger varchar(255) collate casewright_text,
  status varchar(100) collate casewright_text,
  ledgertype varchar(100) collate casewright_text,
  object varchar(60) collate "C",
  objectid bigint,
  ledgertemplateid bigint references ledgertemplate,
  balance numeric(19,4),
  balanceadjusted numeric(19,4),
  islocked boolean,
  isexpandable boolean,
  completed timestamptz,
  posteddate timestamptz,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1,
  reachorganizationid bigint
);
create index ledger_ledgertemplateid_idx on ledger (ledgertemplateid);
create index ledger_object_idx on ledger (objectid, object);
create index ledger_reach_idx on ledger (reachorganizationid, createddate);
create trigger ledger_history after update or delete on ledger for each row execute function casewright_history();
select casewright_open('ledger', 'one');
create view report.ledger with (security_invoker = true) as select ledger.ledgerid, ledger.ledger, ledger.status, ledger.ledgertype, ledger.object, ledger.objectid, ledger.ledgertemplateid, ledger.balance, ledger.balanceadjusted, ledger.islocked, ledger.isexpandable, ledger.completed, ledger.posteddate, ledger.createddate, ledger.createdpersonid, ledger.updateddate, ledger.updatedpersonid, ledger.version from ledger;
select casewright_report('ledger', 'ledgerid, ledger, status, ledgertype, object, objectid, ledgertemplateid, balance, balanceadjusted, islocked, isexpandable, completed, posteddate, createddate, createdpersonid, updateddate, updatedpersonid, version');

create table ledgeritem (
  ledgeritemid bigint generated always as identity primary key,
  ledgeritem varchar(255) collate casewright_text,
  status varchar(100) collate casewright_text,
  ledgeritemtype varchar(100) collate casewright_text,
  ledgerid bigint not null references ledger,
  ledgertemplateitemid bigint references ledgertemplateitem,
  sequence integer,
  amountmoney numeric(19,4),
  amountmoneycountered numeric(19,4),
  amountdecimal numeric,
  units varchar(100) collate casewright_text,
  unitcount numeric,
  rate numeric,
  isdebit boolean,
  istotaled boolean,
  islocked boolean,
  posteddate timestamptz,
  paiddate timestamptz,
  transactionnumber varchar(255) collate "C",
  childledgerid bigint references ledger,
  description varchar(4000) collate casewright_text,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1,
  reachorganizationid bigint
);
create index ledgeritem_ledgerid_idx on ledgeritem (ledgerid);
create index ledgeritem_ledgertemplateitemid_idx on ledgeritem (ledgertemplateitemid);
create index ledgeritem_childledgerid_idx on ledgeritem (childledgerid);
create index ledgeritem_reach_idx on ledgeritem (reachorganizationid, createddate);
create trigger ledgeritem_history after update or delete on ledgeritem for each row execute function casewright_history();
select casewright_open('ledgeritem', 'one');
create view report.ledgeritem with (security_invoker = true) as select ledgeritem.ledgeritemid, ledgeritem.ledgeritem, ledgeritem.status, ledgeritem.ledgeritemtype, ledgeritem.ledgerid, ledgeritem.ledgertemplateitemid, ledgeritem.sequence, ledgeritem.amountmoney, ledgeritem.amountmoneycountered, ledgeritem.amountdecimal, ledgeritem.units, ledgeritem.unitcount, ledgeritem.rate, ledgeritem.isdebit, ledgeritem.istotaled, ledgeritem.islocked, ledgeritem.posteddate, ledgeritem.paiddate, ledgeritem.transactionnumber, ledgeritem.childledgerid, ledgeritem.description, ledgeritem.createddate, ledgeritem.createdpersonid, ledgeritem.updateddate, ledgeritem.updatedpersonid, ledgeritem.version from ledgeritem;
select casewright_report('ledgeritem', 'ledgeritemid, ledgeritem, status, ledgeritemtype, ledgerid, ledgertemplateitemid, sequence, amountmoney, amountmoneycountered, amountdecimal, units, unitcount, rate, isdebit, istotaled, islocked, posteddate, paiddate, transactionnumber, childledgerid, description, createddate, createdpersonid, updateddate, updatedpersonid, version');

create unique index loan_loan_key on loan (agency, loan);
create index loan_loan_idx on loan (loan);
create index process_process_idx on process (process);
create index attachment_filehash_idx on attachment (filehash);
create index importfile_reference_idx on importfile (reference);
create index importlog_reference_idx on importlog (reference);
alter table foreclosure add constraint foreclosure_amounts_check check (coalesce(saleamount, 0) >= 0 and coalesce(redemptionamount, 0) >= 0);
alter table process add constraint process_loanassigned_check check (loanassigned is not null);
create trigger importfiletemplate_configuration after insert or update or delete on importfiletemplate for each statement execute function casewright_configuration();
create trigger importformtemplate_configuration after insert or update or delete on importformtemplate for each statement execute function casewright_configuration();
create trigger decisiondelaytemplate_configuration after insert or update or delete on decisiondelaytemplate for each statement execute function casewright_configuration();
create trigger messagetemplate_configuration after insert or update or delete on messagetemplate for each statement execute function casewright_configuration();
create trigger attachmenttemplate_configuration after insert or update or delete on attachmenttemplate for each statement execute function casewright_configuration();
create trigger ledgertemplate_configuration after insert or update or delete on ledgertemplate for each statement execute function casewright_configuration();
create trigger ledgertemplateitem_configuration after insert or update or delete on ledgertemplateitem for each statement execute function casewright_configuration();
create unique index importfiletemplate_importfiletemplate_key on importfiletemplate (importfiletemplate, coalesce(appliesto, ''));
create unique index importformtemplate_importformtemplate_key on importformtemplate (importformtemplate, coalesce(appliesto, ''));
create unique index decisiondelaytemplate_decisiondelaytemplate_key on decisiondelaytemplate (decisiondelaytemplate, coalesce(appliesto, ''));
create unique index messagetemplate_messagetemplate_key on messagetemplate (messagetemplate, coalesce(appliesto, ''));
create unique index attachmenttemplate_attachmenttemplate_key on attachmenttemplate (attachmenttemplate, coalesce(appliesto, ''));
create unique index ledgertemplate_ledgertemplate_key on ledgertemplate (ledgertemplate, coalesce(appliesto, ''));
create unique index ledgertemplateitem_ledgertemplateitem_key on ledgertemplateitem (ledgertemplateid, ledgertemplateitem);
