-- down: when API keys were last used
drop table apikeyuse;
