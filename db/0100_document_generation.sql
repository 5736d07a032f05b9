-- The options of a document type's generator.
alter table attachmenttemplate add column options varchar(2000) collate "C";
