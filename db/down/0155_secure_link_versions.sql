-- down: which versions of documents secure links show; they show the present ones
alter table securelinkfile drop column fileversion;
