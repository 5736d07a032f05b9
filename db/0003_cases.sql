-- The records of cases: loans and what belongs to them, processes, and what hangs below a process; templates and imports.

create table property (
  propertyid bigint generated always as identity primary key,
  property varchar(255) collate casewright_text,
  status varchar(100) collate casewright_text,
  propertytype varchar(100) collate casewright_text,
  address varchar(100) collate casewright_text,
  city varchar(50) collate casewright_text,
  state varchar(50) collate casewright_text,
  postalcode varchar(10) collate casewright_text,
  county varchar(100) collate casewright_text,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1,
  reachorganizationid bigint[] not null default '{}'
);
create index property_reach_idx on property using gin (reachorganizationid);
create trigger property_history after update or delete on property for each row execute function casewright_history();
select casewright_open('property', 'many');
create view report.property with (security_invoker = true) as select property.propertyid, property.property, property.status, property.propertytype, property.address, property.city, property.state, property.postalcode, property.county, property.createddate, property.createdpersonid, property.updateddate, property.updatedpersonid, property.version from property;
select casewright_report('property', 'propertyid, property, status, propertytype, address, city, state, postalcode, county, createddate, createdpersonid, updateddate, updatedpersonid, version');

create table loan (
  loanid bigint generated always as identity primary key,
  loan varchar(50) collate casewright_text,
  status varchar(100) collate casewright_text,
  loantype varchar(100) collate casewright_text,
  agency varchar(60) collate casewright_text,
  propertyid bigint references property,
  servicerloanid varchar(100) collate casewright_text,
  originalbalance numeric(19,4),
  upbamount numeric(19,4),
  lienprioritytype integer,
  sourceorganizationid bigint references organization,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1,
  reachorganizationid bigint[] not null default '{}'
);
create index loan_propertyid_idx on loan (propertyid);
create index loan_sourceorganizationid_idx on loan (sourceorganizationid);
create index loan_reach_idx on loan using gin (reachorganizationid);
create trigger loan_history after update or delete on loan for each row execute function casewright_history();
select casewright_open('loan', 'many');
create view report.loan with (security_invoker = true) as select loan.loanid, loan.loan, loan.status, loan.loantype, loan.agency, loan.propertyid, loan.servicerloanid, loan.originalbalance, loan.upbamount, loan.lienprioritytype, loan.sourceorganizationid, loan.createddate, loan.createdpersonid, loan.updateddate, loan.updatedpersonid, loan.version from loan;
select casewright_report('loan', 'loanid, loan, status, loantype, agency, propertyid, servicerloanid, originalbalance, upbamount, lienprioritytype, sourceorganizationid, createddate, createdpersonid, updateddate, updatedpersonid, version');

create table publicrecord (
  publicrecordid bigint generated always as identity primary key,
  publicrecord varchar(255) collate casewright_text,
  status varchar(100) collate casewright_text,
  publicrecordtype varchar(100) collate casewright_text,
  loanid bigint references loan,
  filingdate date,
  recordingdate date,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1,
  reachorganizationid bigint[] not null default '{}'
);
create index publicrecord_loanid_idx on publicrecord (loanid);
create index publicrecord_reach_idx on publicrecord using gin (reachorganizationid);
create trigger publicrecord_history after update or delete on publicrecord for each row execute function casewright_history();
select casewright_open('publicrecord', 'many');
create view report.publicrecord with (security_invoker = true) as select publicrecord.publicrecordid, publicrecord.publicrecord, publicrecord.status, publicrecord.publicrecordtype, publicrecord.loanid, publicrecord.filingdate, publicrecord.recordingdate, publicrecord.createddate, publicrecord.createdpersonid, publicrecord.updateddate, publicrecord.updatedpersonid, publicrecord.version from publicrecord;
select casewright_report('publicrecord', 'publicrecordid, publicrecord, status, publicrecordtype, loanid, filingdate, recordingdate, createddate, createdpersonid, updateddate, updatedpersonid, version');

create table process (
  processid bigint generated always as identity primary key,
  process varchar(50) collate casewright_text,
  status varchar(100) collate casewright_text,
  processtype varchar(100) collate casewright_text,
  recordclass varchar(60) collate "C",
  loanid bigint references loan,
  organizationid bigint references organization,
  dateopened date,
  dateclosed date,
  closedreason varchar(255) collate casewright_text,
  loanassigned boolean,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1,
  reachorganizationid bigint generated always as (organizationid) stored
);
create index process_loanid_idx on process (loanid);
create index process_organizationid_idx on process (organizationid);
-- A firm's lists: by status in the order of opening, and without a status.
create index process_reach_status_idx on process (reachorganizationid, status, dateopened);
create index process_reach_dateopened_idx on process (reachorganizationid, dateopened);
create index process_status_dateopened_idx on process (status, dateopened);
create trigger process_history after update or delete on process for each row execute function casewright_history();
select casewright_open('process', 'one');
create view report.process with (security_invoker = true) as select process.processid, process.process, process.status, process.processtype, process.recordclass, process.loanid, process.organizationid, process.dateopened, process.dateclosed, process.closedreason, process.loanassigned, process.createddate, process.createdpersonid, process.updateddate, process.updatedpersonid, process.version from process;
select casewright_report('process', 'processid, process, status, processtype, recordclass, loanid, organizationid, dateopened, dateclosed, closedreason, loanassigned, createddate, createdpersonid, updateddate, updatedpersonid, version');

create table foreclosure (
  foreclosureid bigint primary key references process on delete cascade,
  saleamount numeric(19,4),
  soldtoname varchar(19) collate casewright_text,
  scheduledsaledate date,
  redemptiondate date,
  deficiencystatus varchar(9) collate casewright_text,
  redemptionamount numeric(19,4),
  openingbidamount numeric(19,4),
  reachorganizationid bigint
);
create trigger foreclosure_history after update or delete on foreclosure for each row execute function casewright_history();
select casewright_open('foreclosure', 'one');
create view report.foreclosure with (security_invoker = true) as select process.process as foreclosure, process.processid as foreclosureid, process.processtype as foreclosuretype, process.status, process.processtype, process.recordclass, process.loanid, process.organizationid, process.dateopened, process.dateclosed, process.closedreason, process.loanassigned, foreclosure.saleamount, foreclosure.soldtoname, foreclosure.scheduledsaledate, foreclosure.redemptiondate, foreclosure.deficiencystatus, foreclosure.redemptionamount, foreclosure.openingbidamount, process.createddate, process.createdpersonid, process.updateddate, process.updatedpersonid, process.version from process join foreclosure on foreclosure.foreclosureid = process.processid;
select casewright_report('foreclosure', 'foreclosureid, saleamount, soldtoname, scheduledsaledate, redemptiondate, deficiencystatus, redemptionamount, openingbidamount');

create table attachmenttemplate (
  attachmenttemplateid bigint generated always as identity primary key,
  attachmenttemplate varchar(100) collate casewright_text,
  status varchar(100) collate casewright_text,
  attachmenttemplatetype varchar(100) collate casewright_text,
  appliesto varchar(60) collate casewright_text,
  repeatable varchar(9) collate casewright_text,
  extranetenabled varchar(6) collate casewright_text,
  description varchar(10000) collate casewright_text,
  method varchar(2000) collate "C",
  attachmentservice varchar(100) collate casewright_text,
  fileobjectassembly varchar(100) collate casewright_text,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1
);
create trigger attachmenttemplate_history after update or delete on attachmenttemplate for each row execute function casewright_history();
select casewright_open('attachmenttemplate', 'configuration');
create view report.attachmenttemplate with (security_invoker = true) as select attachmenttemplate.attachmenttemplateid, attachmenttemplate.attachmenttemplate, attachmenttemplate.status, attachmenttemplate.attachmenttemplatetype, attachmenttemplate.appliesto, attachmenttemplate.repeatable, attachmenttemplate.extranetenabled, attachmenttemplate.description, attachmenttemplate.method, attachmenttemplate.attachmentservice, attachmenttemplate.fileobjectassembly, attachmenttemplate.createddate, attachmenttemplate.createdpersonid, attachmenttemplate.updateddate, attachmenttemplate.updatedpersonid, attachmenttemplate.version from attachmenttemplate;
select casewright_report('attachmenttemplate', 'attachmenttemplateid, attachmenttemplate, status, attachmenttemplatetype, appliesto, repeatable, extranetenabled, description, method, attachmentservice, fileobjectassembly, createddate, createdpersonid, updateddate, updatedpersonid, version');

create table attachment (
  attachmentid bigint generated always as identity primary key,
  attachment varchar(255) collate casewright_text,
  status varchar(100) collate casewright_text,
  attachmenttype varchar(100) collate casewright_text,
  object varchar(60) collate "C",
  objectid bigint,
  attachmenttemplateid bigint references attachmenttemplate,
  filename varchar(255) collate casewright_text,
  description text collate casewright_text,
  mimetype varchar(255) collate "C",
  filesize integer,
  filehash varchar(64) collate "C",
  fileobject varchar(100) collate casewright_text,
  filepath varchar(1000) collate "C",
  sealed boolean,
  xmldata text,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1,
  reachorganizationid bigint
);
create index attachment_attachmenttemplateid_idx on attachment (attachmenttemplateid);
create index attachment_object_idx on attachment (objectid, object);
create index attachment_reach_idx on attachment (reachorganizationid, createddate);
create trigger attachment_history after update or delete on attachment for each row execute function casewright_history();
select casewright_open('attachment', 'one');
create view report.attachment with (security_invoker = true) as select attachment.attachmentid, attachment.attachment, attachment.status, attachment.attachmenttype, attachment.object, attachment.objectid, attachment.attachmenttemplateid, attachment.filename, attachment.description, attachment.mimetype, attachment.filesize, attachment.filehash, attachment.fileobject, attachment.filepath, attachment.sealed, attachment.xmldata, attachment.createddate, attachment.createdpersonid, attachment.updateddate, attachment.updatedpersonid, attachment.version from attachment;
select casewright_report('attachment', 'attachmentid, attachment, status, attachmenttype, object, objectid, attachmenttemplateid, filename, description, mimetype, filesize, filehash, fileobject, filepath, sealed, xmldata, createddate, createdpersonid, updateddate, updatedpersonid, version');

create table importfiletemplate (
  importfiletemplateid bigint generated always as identity primary key,
  importfiletemplate varchar(100) collate casewright_text,
  status varchar(100) collate casewright_text,
  importfiletemplatetype varchar(100) collate casewright_text,
  appliesto varchar(60) collate casewright_text,
  repeatable varchar(9) collate casewright_text,
  extranetenabled varchar(6) collate casewright_text,
  description varchar(10000) collate casewright_text,
  importengine varchar(100) collate casewright_text,
  async boolean,
  queue varchar(100) collate casewright_text,
  failurethreshold varchar(20) collate casewright_text,
  successthreshold varchar(20) collate casewright_text,
  validatestatement varchar(1000) collate "C",
  importstatement varchar(50000) collate "C",
  resultmethod varchar(2000) collate "C",
  oncompletestatus varchar(100) collate casewright_text,
  parameterstring varchar(10000) collate "C",
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1
);
create trigger importfiletemplate_history after update or delete on importfiletemplate for each row execute function casewright_history();
select casewright_open('importfiletemplate', 'configuration');
create view report.importfiletemplate with (security_invoker = true) as select importfiletemplate.importfiletemplateid, importfiletemplate.importfiletemplate, importfiletemplate.status, importfiletemplate.importfiletemplatetype, importfiletemplate.appliesto, importfiletemplate.repeatable, importfiletemplate.extranetenabled, importfiletemplate.description, importfiletemplate.importengine, importfiletemplate.async, importfiletemplate.queue, importfiletemplate.failurethreshold, importfiletemplate.successthreshold, importfiletemplate.validatestatement, importfiletemplate.importstatement, importfiletemplate.resultmethod, importfiletemplate.oncompletestatus, importfiletemplate.parameterstring, importfiletemplate.createddate, importfiletemplate.createdpersonid, importfiletemplate.updateddate, importfiletemplate.updatedpersonid, importfiletemplate.version from importfiletemplate;
select casewright_report('importfiletemplate', 'importfiletemplateid, importfiletemplate, status, importfiletemplatetype, appliesto, repeatable, extranetenabled, description, importengine, async, queue, failurethreshold, successthreshold, validatestatement, importstatement, resultmethod, oncompletestatus, parameterstring, createddate, createdpersonid, updateddate, updatedpersonid, version');

create table importfile (
  importfileid bigint generated always as identity primary key,
  importfile varchar(255) collate casewright_text,
  status varchar(100) collate casewright_text,
  importfiletype varchar(100) collate casewright_text,
  object varchar(60) collate "C",
  objectid bigint,
  importfiletemplateid bigint references importfiletemplate,
  pretransformid bigint references attachment,
  organizationid bigint,
  reference varchar(50) collate casewright_text,
  externalreference varchar(255) collate casewright_text,
  successcount integer,
  errorcount integer,
  warnings integer,
  importstart timestamptz,
  importcomplete timestamptz,
  message varchar(10000) collate casewright_text,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1,
  reachorganizationid bigint generated always as (organizationid) stored
);
create index importfile_importfiletemplateid_idx on importfile (importfiletemplateid);
create index importfile_pretransformid_idx on importfile (pretransformid);
create index importfile_object_idx on importfile (objectid, object);
create index importfile_reach_idx on importfile (reachorganizationid, createddate);
create trigger importfile_history after update or delete on importfile for each row execute function casewright_history();
select casewright_open('importfile', 'one');
create view report.importfile with (security_invoker = true) as select importfile.importfileid, importfile.importfile, importfile.status, importfile.importfiletype, importfile.object, importfile.objectid, importfile.importfiletemplateid, importfile.pretransformid, importfile.organizationid, importfile.reference, importfile.externalreference, importfile.successcount, importfile.errorcount, importfile.warnings, importfile.importstart, importfile.importcomplete, importfile.message, importfile.createddate, importfile.createdpersonid, importfile.updateddate, importfile.updatedpersonid, importfile.version from importfile;
select casewright_report('importfile', 'importfileid, importfile, status, importfiletype, object, objectid, importfiletemplateid, pretransformid, organizationid, reference, externalreference, successcount, errorcount, warnings, importstart, importcomplete, message, createddate, createdpersonid, updateddate, updatedpersonid, version');

create table importlog (
  importlogid bigint generated always as identity primary key,
  importlog varchar(255) collate casewright_text,
  status varchar(100) collate casewright_text,
  importlogtype varchar(100) collate casewright_text,
  importfileid bigint references importfile,
  organizationid bigint references organization,
  reference varchar(50) collate casewright_text,
  object varchar(60) collate "C",
  objectid bigint,
  operation varchar(60) collate casewright_text,
  message varchar(10000) collate casewright_text,
  properties text,
  sequence integer,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1,
  reachorganizationid bigint generated always as (organizationid) stored
);
create index importlog_importfileid_idx on importlog (importfileid);
create index importlog_organizationid_idx on importlog (organizationid);
create index importlog_reach_idx on importlog (reachorganizationid, createddate);
select casewright_open('importlog', 'one');
create view report.importlog with (security_invoker = true) as select importlog.importlogid, importlog.importlog, importlog.status, importlog.importlogtype, importlog.importfileid, importlog.organizationid, importlog.reference, importlog.object, importlog.objectid, importlog.operation, importlog.message, importlog.properties, importlog.sequence, importlog.createddate, importlog.createdpersonid, importlog.updateddate, importlog.updatedpersonid, importlog.version from importlog;
select casewright_report('importlog', 'importlogid, importlog, status, importlogtype, importfileid, organizationid, reference, object, objectid, operation, message, properties, sequence, createddate, createdpersonid, updateddate, updatedpersonid, version');

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

-- The firms that reach what hangs below a record.
create or replace function casewright_reach_below(parent text, parentid bigint) returns bigint[] language plpgsql stable security definer set search_path = public, pg_temp as $$
begin
  return case parent
    when 'Organization' then array[parentid]
    when 'Contact' then (select reachorganizationid from contact where contactid = parentid)
    when 'Person' then (select array[organizationid] from person where personid = parentid and organizationid is not null)
    when 'Foreclosure' then (select array[organizationid] from process where processid = parentid and organizationid is not null)
    when 'Process' then (select array[organizationid] from process where processid = parentid and organizationid is not null)
    when 'Loan' then (select reachorganizationid from loan where loanid = parentid)
    when 'Property' then (select reachorganizationid from property where propertyid = parentid)
    when 'ImportForm' then (select array[reachorganizationid] from importform where importformid = parentid and reachorganizationid is not null)
    when 'DecisionDelay' then (select array[reachorganizationid] from decisiondelay where decisiondelayid = parentid and reachorganizationid is not null)
    when 'Message' then (select array[reachorganizationid] from message where messageid = parentid and reachorganizationid is not null)
    when 'Attachment' then (select array[reachorganizationid] from attachment where attachmentid = parentid and reachorganizationid is not null)
    when 'Ledger' then (select array[reachorganizationid] from ledger where ledgerid = parentid and reachorganizationid is not null)
    when 'ImportFile' then (select array[organizationid] from importfile where importfileid = parentid and organizationid is not null)
  end;
end $$;

-- The firm that reaches a templated child. Its template decides whether the parent's firm may see it; without a template, or
-- where the template keeps partners out, only a firm that made it itself. Of a loan's children each firm sees its own alone:
-- the loan is shared, what firms write on it is not.
create function casewright_reach_child(parent text, parentid bigint, extranet text, templated boolean, madeby bigint) returns bigint language plpgsql stable security definer set search_path = public, pg_temp as $$
declare
  firms bigint[] := casewright_reach_below(parent, parentid);
  maker bigint := (select organizationid from person where personid = madeby);
begin
  if parent = 'ImportFile' or (templated and coalesce(extranet, 'Self') <> 'No' and parent not in ('Loan', 'Property', 'Contact')) then
    return firms[1];
  end if;
  return case when maker = any(firms) then maker end;
end $$;

create function casewright_reach_importform() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  new.reachorganizationid := casewright_reach_child(new.object, new.objectid, (select extranetenabled from importformtemplate where importformtemplateid = new.importformtemplateid), new.importformtemplateid is not null, new.createdpersonid);
  return new;
end $$;
create trigger importform_reach before insert or update of object, objectid, importformtemplateid, reachorganizationid on importform for each row execute function casewright_reach_importform();

create function casewright_reach_decisiondelay() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  new.reachorganizationid := casewright_reach_child(new.object, new.objectid, (select extranetenabled from decisiondelaytemplate where decisiondelaytemplateid = new.decisiondelaytemplateid), new.decisiondelaytemplateid is not null, new.createdpersonid);
  return new;
end $$;
create trigger decisiondelay_reach before insert or update of object, objectid, decisiondelaytemplateid, reachorganizationid on decisiondelay for each row execute function casewright_reach_decisiondelay();

create function casewright_reach_message() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  new.reachorganizationid := casewright_reach_child(new.object, new.objectid, (select extranetenabled from messagetemplate where messagetemplateid = new.messagetemplateid), new.messagetemplateid is not null, new.createdpersonid);
  return new;
end $$;
create trigger message_reach before insert or update of object, objectid, messagetemplateid, reachorganizationid on message for each row execute function casewright_reach_message();

create function casewright_reach_attachment() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  new.reachorganizationid := casewright_reach_child(new.object, new.objectid, (select extranetenabled from attachmenttemplate where attachmenttemplateid = new.attachmenttemplateid), new.attachmenttemplateid is not null, new.createdpersonid);
  return new;
end $$;
create trigger attachment_reach before insert or update of object, objectid, attachmenttemplateid, reachorganizationid on attachment for each row execute function casewright_reach_attachment();

create function casewright_reach_ledger() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  new.reachorganizationid := casewright_reach_child(new.object, new.objectid, (select extranetenabled from ledgertemplate where ledgertemplateid = new.ledgertemplateid), new.ledgertemplateid is not null, new.createdpersonid);
  return new;
end $$;
create trigger ledger_reach before insert or update of object, objectid, ledgertemplateid, reachorganizationid on ledger for each row execute function casewright_reach_ledger();

create function casewright_reach_ledgeritem() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  new.reachorganizationid := (select reachorganizationid from ledger where ledgerid = new.ledgerid);
  return new;
end $$;
create trigger ledgeritem_reach before insert or update of ledgerid, reachorganizationid on ledgeritem for each row execute function casewright_reach_ledgeritem();

-- A loan and its property are reached through cases. While a firm's referral makes them, before the case exists, they are its own.
create function casewright_reach_new() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  firm bigint := coalesce(nullif(current_setting('casewright.firm', true), ''), '0')::bigint;
begin
  new.reachorganizationid := case when firm > 0 then array[firm] else '{}' end;
  return new;
end $$;
create trigger loan_reach before insert on loan for each row execute function casewright_reach_new();
create trigger property_reach before insert on property for each row execute function casewright_reach_new();

create function casewright_reach_publicrecord() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  new.reachorganizationid := coalesce((select reachorganizationid from loan where loanid = new.loanid), '{}');
  return new;
end $$;
create trigger publicrecord_reach before insert or update of loanid, reachorganizationid on publicrecord for each row execute function casewright_reach_publicrecord();

-- The firms of a loan: those of its cases that were assigned it. What belongs to the loan follows.
create function casewright_reach_loan(wanted bigint) returns void language plpgsql security definer set search_path = public, pg_temp as $$
declare
  firms bigint[] := coalesce((select array_agg(distinct organizationid order by organizationid) from process where loanid = wanted and loanassigned and organizationid is not null), '{}');
begin
  update loan set reachorganizationid = firms where loanid = wanted and reachorganizationid is distinct from firms;
end $$;

create function casewright_reach_property(wanted bigint) returns void language plpgsql security definer set search_path = public, pg_temp as $$
declare
  firms bigint[] := coalesce((select array_agg(distinct f order by f) from loan, unnest(loan.reachorganizationid) f where loan.propertyid = wanted), '{}');
begin
  update property set reachorganizationid = firms where propertyid = wanted and reachorganizationid is distinct from firms;
end $$;

create function casewright_reach_loan_changed() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if new.propertyid is not null then perform casewright_reach_property(new.propertyid); end if;
  if tg_op = 'UPDATE' then
    if old.propertyid is distinct from new.propertyid and old.propertyid is not null then perform casewright_reach_property(old.propertyid); end if;
    if new.reachorganizationid is distinct from old.reachorganizationid then
      update contact set reachorganizationid = new.reachorganizationid where object = 'Loan' and objectid = new.loanid;
      update publicrecord set reachorganizationid = new.reachorganizationid where loanid = new.loanid;
      update message set reachorganizationid = null where object = 'Loan' and objectid = new.loanid;
      update attachment set reachorganizationid = null where object = 'Loan' and objectid = new.loanid;
      update decisiondelay set reachorganizationid = null where object = 'Loan' and objectid = new.loanid;
      update importform set reachorganizationid = null where object = 'Loan' and objectid = new.loanid;
      update ledger set reachorganizationid = null where object = 'Loan' and objectid = new.loanid;
    end if;
  end if;
  return null;
end $$;
create trigger loan_reach_changed after insert or update of propertyid, reachorganizationid on loan for each row execute function casewright_reach_loan_changed();

-- A case that comes, goes, or changes firm or loan changes who reaches the loan; one that changes firm takes its children along.
-- Setting a child's firm to anything makes its own trigger work it out anew.
create function casewright_reach_process_changed() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if tg_op <> 'DELETE' and new.loanid is not null then perform casewright_reach_loan(new.loanid); end if;
  if tg_op <> 'INSERT' and old.loanid is not null and (tg_op = 'DELETE' or old.loanid is distinct from new.loanid) then perform casewright_reach_loan(old.loanid); end if;
  if tg_op = 'UPDATE' and old.organizationid is distinct from new.organizationid then
    update foreclosure set reachorganizationid = new.organizationid where foreclosureid = new.processid;
    update importform set reachorganizationid = null where object = new.recordclass and objectid = new.processid;
    update decisiondelay set reachorganizationid = null where object = new.recordclass and objectid = new.processid;
    update message set reachorganizationid = null where (object = new.recordclass and objectid = new.processid)
      or (object = 'ImportForm' and objectid in (select importformid from importform where object = new.recordclass and objectid = new.processid));
    update attachment set reachorganizationid = null where object = new.recordclass and objectid = new.processid;
    update ledger set reachorganizationid = null where object = new.recordclass and objectid = new.processid;
    update ledgeritem set reachorganizationid = null where ledgerid in (select ledgerid from ledger where object = new.recordclass and objectid = new.processid);
    update contact set reachorganizationid = coalesce(array[new.organizationid], '{}') where object = new.recordclass and objectid = new.processid;
  end if;
  return null;
end $$;
create trigger process_reach_changed after insert or delete or update of organizationid, loanid, loanassigned on process for each row execute function casewright_reach_process_changed();

-- The totals of a ledger: debits minus credits over lines with an amount, and over those that are totaled. The row lock makes
-- savers of lines of one ledger wait for one another, so that none totals without the other's line.
create function casewright_ledger_total(wanted bigint) returns void language plpgsql security definer set search_path = public, pg_temp as $$
declare
  total numeric;
  adjusted numeric;
begin
  perform 1 from ledger where ledgerid = wanted for update;
  select coalesce(sum(case when coalesce(i.isdebit, t.isdebit, false) then i.amountmoney else -i.amountmoney end), 0),
    coalesce(sum(case when coalesce(i.isdebit, t.isdebit, false) then i.amountmoney else -i.amountmoney end) filter (where coalesce(i.istotaled, t.istotaled, false)), 0)
    into total, adjusted
    from ledgeritem i left join ledgertemplateitem t on t.ledgertemplateitemid = i.ledgertemplateitemid
    where i.ledgerid = wanted and i.amountmoney is not null;
  update ledger set balance = total, balanceadjusted = adjusted where ledgerid = wanted and (balance is distinct from total or balanceadjusted is distinct from adjusted);
  update ledgeritem set amountmoney = adjusted where childledgerid = wanted and amountmoney is distinct from adjusted;
end $$;

create function casewright_ledgeritem_total() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  changed bigint;
begin
  if tg_op = 'INSERT' then
    for changed in select distinct ledgerid from made order by 1 loop perform casewright_ledger_total(changed); end loop;
  elsif tg_op = 'DELETE' then
    for changed in select distinct ledgerid from gone order by 1 loop perform casewright_ledger_total(changed); end loop;
  else
    for changed in select ledgerid from made union select ledgerid from gone order by 1 loop perform casewright_ledger_total(changed); end loop;
  end if;
  return null;
end $$;
create trigger ledgeritem_total after insert on ledgeritem referencing new table as made for each statement execute function casewright_ledgeritem_total();
create trigger ledgeritem_total_update after update on ledgeritem referencing new table as made old table as gone for each statement execute function casewright_ledgeritem_total();
create trigger ledgeritem_total_delete after delete on ledgeritem referencing old table as gone for each statement execute function casewright_ledgeritem_total();
