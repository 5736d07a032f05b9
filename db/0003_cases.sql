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
-- The same, newest first. Searches put what is empty last either way, so an index read backwards does not serve them: the
-- newest 25 of a firm with 7 % of a million cases took 20 ms and more by sorting, and 0.2 ms by these.
create index process_reach_status_newest_idx on process (reachorganizationid, status, dateopened desc nulls last);
create index process_reach_newest_idx on process (reachorganizationid, dateopened desc nulls last);
create index process_status_newest_idx on process (status, dateopened desc nulls last);
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
-- For the sweep of files without a document.
create index attachment_filepath_idx on attachment (filepath);
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
-- For the search for runs whose process died; nearly always empty.
create index importfile_importing_idx on importfile (createddate) where status = 'Importing';
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
